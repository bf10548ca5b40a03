package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"
)

var stringBindings = []binding{
	{"string.byte", "s, [i], [j]", "Returns the codes of the bytes from i to j.", "same", stringByte},
	{"string.char", "...", "Returns the string of these byte codes.", "same", stringChar},
	{"string.find", "s, pattern, [init], [plain]", "Returns the place of the first match and its captures, or nil.", "same", stringFind},
	{"string.format", "format, ...", "Formats like C's printf, with %d %i %u %c %x %X %o %e %E %f %F %g %G %a %A %q %s.", "same", stringFormat},
	{"string.gmatch", "s, pattern", "Iterates over the matches.", "same", stringGmatch},
	{"string.gsub", "s, pattern, replacement, [n]", "Replaces matches by a string, table or function; returns the string and the number of matches.", "same", stringGsub},
	{"string.len", "s", "Returns the number of bytes.", "same", stringLen},
	{"string.lower", "s", "Maps A to Z.", "same", stringLower},
	{"string.match", "s, pattern, [init]", "Returns the captures of the first match, or nil.", "same", stringMatch},
	{"string.rep", "s, n, [separator]", "Returns n copies of s.", "same", stringRep},
	{"string.reverse", "s", "Reverses the bytes.", "same", stringReverse},
	{"string.sub", "s, i, [j]", "Returns the bytes from i to j; negative positions count from the end.", "same", stringSub},
	{"string.upper", "s", "Maps a to z.", "same", stringUpper},
}

// position turns a Lua index into an offset from 0 that may lie outside.
func position(i int64, length int) int64 {
	if i < 0 {
		i += int64(length) + 1
		if i < 0 {
			return -1
		}
	}
	return i - 1
}

// span returns the bytes i to j of s as offsets, from arguments n and n+1.
func span(l *glua.LState, s string, n int, defI, defJ int64) (start, end int) {
	i := max(position(optInteger(l, n, defI), len(s)), 0)
	j := min(position(optInteger(l, n+1, defJ), len(s)), int64(len(s))-1)
	if i > j {
		return 0, 0
	}
	return int(i), int(j) + 1
}

func stringByte(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	i := optInteger(l, 2, 1)
	start, end := span(l, s, 2, 1, i)
	for _, b := range []byte(s[start:end]) {
		l.Push(glua.LNumber(b))
	}
	return end - start
}

func stringChar(_ *call, l *glua.LState) int {
	out := make([]byte, l.GetTop())
	for i := range out {
		n := checkInteger(l, i+1)
		if n < 0 || n > 255 {
			l.RaiseError("bad argument #%d to 'char' (value out of range)", i+1)
		}
		out[i] = byte(n)
	}
	l.Push(glua.LString(out))
	return 1
}

func stringLen(_ *call, l *glua.LState) int {
	l.Push(glua.LNumber(len(l.CheckString(1))))
	return 1
}

// mapBytes applies f to every byte of argument 1.
func mapBytes(l *glua.LState, f func(byte) byte) int {
	out := []byte(l.CheckString(1))
	for i, b := range out {
		out[i] = f(b)
	}
	l.Push(glua.LString(out))
	return 1
}

func stringLower(_ *call, l *glua.LState) int {
	return mapBytes(l, func(b byte) byte {
		if 'A' <= b && b <= 'Z' {
			return b + 'a' - 'A'
		}
		return b
	})
}

func stringUpper(_ *call, l *glua.LState) int {
	return mapBytes(l, func(b byte) byte {
		if 'a' <= b && b <= 'z' {
			return b - 'a' + 'A'
		}
		return b
	})
}

func stringRep(c *call, l *glua.LState) int {
	s, n := l.CheckString(1), checkInteger(l, 2)
	separator := l.OptString(3, "")
	one := int64(len(s) + len(separator))
	if n <= 0 || one == 0 {
		l.Push(glua.LString(""))
		return 1
	}
	if n > c.budget.allowance/one {
		c.budget.charge(l, -1)
	}
	if separator != "" {
		s = strings.Repeat(s+separator, int(n-1)) + s
	} else {
		s = strings.Repeat(s, int(n))
	}
	l.Push(glua.LString(s))
	return 1
}

func stringReverse(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	out := make([]byte, len(s))
	for i := range len(s) {
		out[len(s)-1-i] = s[i]
	}
	l.Push(glua.LString(out))
	return 1
}

func stringSub(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	start, end := span(l, s, 2, 1, -1)
	l.Push(glua.LString(s[start:end]))
	return 1
}
