package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"
)

var tableBindings = []binding{
	{"table.concat", "list, [separator], [i], [j]", "Joins strings and numbers.", "same", tableConcat},
	{"table.move", "from, f, e, t, [to]", "Copies elements f to e to the places from t on.", "same", tableMove},
	{"table.pack", "...", "Returns a table of the arguments, with their number in `n`.", "same", tablePack},
	{"table.unpack", "list, [i], [j]", "Returns the elements i to j.", "same", tableUnpack},
}

func tableConcat(c *call, l *glua.LState) int {
	t := l.CheckTable(1)
	separator := l.OptString(2, "")
	i, j := optInteger(l, 3, 1), optInteger(l, 4, int64(t.Len()))
	var out strings.Builder
	for ; i <= j; i++ {
		v := t.RawGet(glua.LNumber(i))
		if !glua.LVCanConvToString(v) {
			l.RaiseError("invalid value (at index %d) in table for 'concat'", i)
		}
		out.WriteString(v.String())
		if i < j {
			out.WriteString(separator)
		}
		c.budget.charge(l, int64(out.Len()))
	}
	l.Push(glua.LString(out.String()))
	return 1
}

func tableMove(c *call, l *glua.LState) int {
	from := l.CheckTable(1)
	first, last, at := checkInteger(l, 2), checkInteger(l, 3), checkInteger(l, 4)
	to := from
	if l.GetTop() >= 5 {
		to = l.CheckTable(5)
	}
	step := func(i int64) {
		c.budget.steps++
		if i%checkEvery == 0 {
			c.budget.poll(l)
		}
		l.SetTable(to, glua.LNumber(at+i), l.GetTable(from, glua.LNumber(first+i)))
	}
	if n := last - first; at > last || at <= first || to != from {
		for i := int64(0); i <= n; i++ {
			step(i)
		}
	} else {
		for i := n; i >= 0; i-- {
			step(i)
		}
	}
	l.Push(to)
	return 1
}

func tablePack(_ *call, l *glua.LState) int {
	n := l.GetTop()
	t := l.CreateTable(n, 1)
	for i := 1; i <= n; i++ {
		t.RawSetInt(i, l.Get(i))
	}
	t.RawSetString("n", glua.LNumber(n))
	l.Push(t)
	return 1
}

// maxUnpack is the number of values that fit a machine's registers with
// room to spare.
const maxUnpack = maxRegistry / 4

func tableUnpack(_ *call, l *glua.LState) int {
	t := l.CheckTable(1)
	i, j := optInteger(l, 2, 1), optInteger(l, 3, int64(t.Len()))
	if i > j {
		return 0
	}
	if j-i < 0 || j-i >= maxUnpack {
		l.RaiseError("too many results to unpack")
	}
	for k := i; k <= j; k++ {
		l.Push(t.RawGet(glua.LNumber(k)))
	}
	return int(j - i + 1)
}
