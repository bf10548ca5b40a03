package lua

import (
	"strings"
	"unicode/utf8"

	glua "github.com/yuin/gopher-lua"

	"example.com/iiifd/lua/syntax"
)

var utf8Bindings = []binding{
	{"utf8.char", "...", "Returns the UTF-8 text of these code points.", "same", utf8Char},
	{"utf8.codepoint", "s, [i], [j]", "Returns the code points of the characters that begin between the bytes i and j.", "same", utf8Codepoint},
	{"utf8.codes", "s", "Iterates over the characters: byte position and code point.", "same", utf8Codes},
	{"utf8.len", "s, [i], [j]", "Returns the number of characters that begin between the bytes i and j, or nil and the place of the first invalid byte.", "same", utf8Len},
	{"utf8.offset", "s, n, [i]", "Returns the byte position of the n-th character counted from byte i.", "same", utf8Offset},
}

var utf8Fields = []field{{"utf8.charpattern", "The pattern that matches one character.", "same"}}

const utf8CharPattern = "[\x00-\x7F\xC2-\xF4][\x80-\xBF]*"

func utf8Char(_ *call, l *glua.LState) int {
	var out strings.Builder
	for i := 1; i <= l.GetTop(); i++ {
		n := checkInteger(l, i)
		if n < 0 || n > utf8.MaxRune {
			l.RaiseError("bad argument #%d to 'char' (value out of range)", i)
		}
		out.WriteString(syntax.EncodeUTF8(uint32(n)))
	}
	l.Push(glua.LString(out.String()))
	return 1
}

// decodeAt decodes the character at an offset; ok is false where none is.
func decodeAt(s string, at int) (r rune, size int, ok bool) {
	r, size = utf8.DecodeRuneInString(s[at:])
	return r, size, r != utf8.RuneError || size > 1
}

func utf8Codepoint(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	i := position(optInteger(l, 2, 1), len(s))
	j := position(optInteger(l, 3, i+1), len(s))
	if i < 0 || j >= int64(len(s)) {
		l.RaiseError("bad argument to 'codepoint' (out of range)")
	}
	n := 0
	for at := int(i); at <= int(j); {
		r, size, ok := decodeAt(s, at)
		if !ok {
			l.RaiseError("invalid UTF-8 code")
		}
		if n++; n > maxUnpack {
			l.RaiseError("string slice too long")
		}
		l.Push(glua.LNumber(r))
		at += size
	}
	return n
}

func utf8Codes(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	at := 0
	l.Push(l.NewFunction(func(l *glua.LState) int {
		if at >= len(s) {
			l.Push(glua.LNil)
			return 1
		}
		r, size, ok := decodeAt(s, at)
		if !ok {
			l.RaiseError("invalid UTF-8 code")
		}
		l.Push(glua.LNumber(at + 1))
		l.Push(glua.LNumber(r))
		at += size
		return 2
	}))
	return 1
}

func utf8Len(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	i := position(optInteger(l, 2, 1), len(s))
	j := position(optInteger(l, 3, -1), len(s))
	if i < 0 || i > int64(len(s)) || j >= int64(len(s)) {
		l.RaiseError("bad argument to 'len' (out of range)")
	}
	n := 0
	for at := int(i); at <= int(j); n++ {
		_, size, ok := decodeAt(s, at)
		if !ok {
			l.Push(glua.LNil)
			l.Push(glua.LNumber(at + 1))
			return 2
		}
		at += size
	}
	l.Push(glua.LNumber(n))
	return 1
}

func utf8Offset(_ *call, l *glua.LState) int {
	s := l.CheckString(1)
	n := checkInteger(l, 2)
	def := int64(1)
	if n <= 0 {
		def = int64(len(s)) + 1
	}
	at := int(position(optInteger(l, 3, def), len(s)))
	if at < 0 || at > len(s) {
		l.RaiseError("bad argument #3 to 'offset' (position out of range)")
	}
	if n == 0 {
		for at > 0 && continues(s, at) {
			at--
		}
		l.Push(glua.LNumber(at + 1))
		return 1
	}
	if continues(s, at) {
		l.RaiseError("initial position is a continuation byte")
	}
	if n < 0 {
		at, n = back(s, at, n)
	} else {
		at, n = forward(s, at, n-1)
	}
	if n == 0 {
		l.Push(glua.LNumber(at + 1))
	} else {
		l.Push(glua.LNil)
	}
	return 1
}

// continues tells whether byte i of s is inside a character.
func continues(s string, i int) bool { return i < len(s) && s[i]&0xC0 == 0x80 }

// back goes back over -n characters and returns how many were missing.
func back(s string, at int, n int64) (int, int64) {
	for ; n < 0 && at > 0; n++ {
		for at--; at > 0 && continues(s, at); at-- {
		}
	}
	return at, n
}

// forward passes n characters and returns how many were missing.
func forward(s string, at int, n int64) (int, int64) {
	for ; n > 0 && at < len(s); n-- {
		for at++; continues(s, at); at++ {
		}
	}
	return at, n
}
