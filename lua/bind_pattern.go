package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"

	"example.com/iiifd/lua/pattern"
)

// matcher returns a matcher that looks at the budget as it works, and
// whether the pattern is anchored.
func (c *call) matcher(l *glua.LState, s, p string) (*pattern.Matcher, bool) {
	p, anchored := strings.CutPrefix(p, "^")
	return pattern.New(s, p, func() { c.budget.poll(l) }), anchored
}

// matchAt is Matcher.At for scripts.
func matchAt(l *glua.LState, m *pattern.Matcher, offset int) int {
	end, err := m.At(offset)
	if err != nil {
		l.RaiseError("%s", err.Error())
	}
	return end
}

func captureValue(c pattern.Capture) glua.LValue {
	if c.Position > 0 {
		return glua.LNumber(c.Position)
	}
	return glua.LString(c.Text)
}

// captures returns the captures of a match as values.
func captures(l *glua.LState, m *pattern.Matcher, start, end int) []glua.LValue {
	list, err := m.Captures(start, end)
	if err != nil {
		l.RaiseError("%s", err.Error())
	}
	values := make([]glua.LValue, len(list))
	for i, c := range list {
		values[i] = captureValue(c)
	}
	return values
}

func stringFind(c *call, l *glua.LState) int  { return c.search(l, true) }
func stringMatch(c *call, l *glua.LState) int { return c.search(l, false) }

// search is string.find or string.match.
func (c *call) search(l *glua.LState, find bool) int {
	s, p := l.CheckString(1), l.CheckString(2)
	start := max(position(optInteger(l, 3, 1), len(s)), 0)
	if start > int64(len(s)) {
		l.Push(glua.LNil)
		return 1
	}
	at := int(start)
	if find && (l.ToBool(4) || pattern.Plain(p)) {
		i := strings.Index(s[at:], p)
		if i < 0 {
			l.Push(glua.LNil)
			return 1
		}
		l.Push(glua.LNumber(at + i + 1))
		l.Push(glua.LNumber(at + i + len(p)))
		return 2
	}
	m, anchored := c.matcher(l, s, p)
	for ; at <= len(s); at++ {
		if end := matchAt(l, m, at); end >= 0 {
			return pushMatch(l, m, at, end, find)
		}
		if anchored {
			break
		}
	}
	l.Push(glua.LNil)
	return 1
}

func pushMatch(l *glua.LState, m *pattern.Matcher, start, end int, find bool) int {
	n := 0
	if find {
		l.Push(glua.LNumber(start + 1))
		l.Push(glua.LNumber(end))
		n = 2
		if m.Level() == 0 {
			return n
		}
	}
	for _, v := range captures(l, m, start, end) {
		l.Push(v)
		n++
	}
	return n
}

func stringGmatch(c *call, l *glua.LState) int {
	s, p := l.CheckString(1), l.CheckString(2)
	m := pattern.New(s, p, func() { c.budget.poll(l) })
	at, lastEnd := 0, -1
	l.Push(l.NewFunction(func(l *glua.LState) int {
		for ; at <= len(s); at++ {
			end := matchAt(l, m, at)
			if end < 0 || end == lastEnd {
				continue
			}
			start := at
			at, lastEnd = end, end
			return pushMatch(l, m, start, end, false)
		}
		l.Push(glua.LNil)
		return 1
	}))
	return 1
}

func stringGsub(c *call, l *glua.LState) int {
	s, p := l.CheckString(1), l.CheckString(2)
	replacement := l.CheckAny(3)
	switch replacement.Type() {
	case glua.LTString, glua.LTNumber, glua.LTTable, glua.LTFunction:
	default:
		l.RaiseError("bad argument #3 to 'gsub' (string/function/table expected)")
	}
	limit := optInteger(l, 4, int64(len(s))+1)
	m, anchored := c.matcher(l, s, p)
	var out strings.Builder
	at, lastEnd, count := 0, -1, int64(0)
	for count < limit {
		end := matchAt(l, m, at)
		switch {
		case end >= 0 && end != lastEnd:
			count++
			out.WriteString(replace(l, m, replacement, s[at:end], captures(l, m, at, end)))
			c.budget.charge(l, int64(out.Len()))
			at, lastEnd = end, end
		case at < len(s):
			out.WriteByte(s[at])
			at++
		default:
			at++
		}
		if at > len(s) || anchored {
			break
		}
	}
	if at < len(s) {
		out.WriteString(s[at:])
	}
	l.Push(glua.LString(out.String()))
	l.Push(glua.LNumber(count))
	return 2
}

// replace returns what takes a match's place.
func replace(l *glua.LState, m *pattern.Matcher, by glua.LValue, whole string, found []glua.LValue) string {
	var v glua.LValue
	switch by := by.(type) {
	case *glua.LTable:
		v = l.GetTable(by, found[0])
	case *glua.LFunction:
		l.Push(by)
		for _, f := range found {
			l.Push(f)
		}
		l.Call(len(found), 1)
		v = l.Get(-1)
		l.Pop(1)
	default:
		return expand(l, m, by.String(), whole, found)
	}
	switch v.Type() {
	case glua.LTString, glua.LTNumber:
		return v.String()
	case glua.LTNil, glua.LTBool:
		if glua.LVIsFalse(v) {
			return whole
		}
	default:
	}
	l.RaiseError("invalid replacement value (a %s)", v.Type().String())
	return ""
}

// expand resolves %0 to %9 and %% in a replacement string.
func expand(l *glua.LState, m *pattern.Matcher, by, whole string, found []glua.LValue) string {
	if strings.IndexByte(by, '%') < 0 {
		return by
	}
	var out strings.Builder
	for i := 0; i < len(by); i++ {
		if by[i] != '%' {
			out.WriteByte(by[i])
			continue
		}
		i++
		switch {
		case i < len(by) && by[i] == '%':
			out.WriteByte('%')
		case i < len(by) && by[i] == '0':
			out.WriteString(whole)
		case i < len(by) && by[i] >= '1' && by[i] <= '9':
			n := int(by[i] - '1')
			if n >= len(found) || n > 0 && n >= m.Level() {
				l.RaiseError("invalid capture index %%%d in replacement string", n+1)
			}
			out.WriteString(found[n].String())
		default:
			l.RaiseError("invalid use of '%%' in replacement string")
		}
	}
	return out.String()
}
