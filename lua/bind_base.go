package lua

import (
	"fmt"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"example.com/iiifd/lua/syntax"
)

// baseBindings are the base functions that are ours; the others in
// keptFunctions are gopher-lua's.
var baseBindings = []binding{
	{"assert", "v, [message]", "Returns its arguments if v is true, else raises message, which may be any value.", "same", baseAssert},
	{"pairs", "t", "Iterates over a table; honours `__pairs`.", "same", basePairs},
	{"print", "...", "Writes its arguments to the server's log at level info, separated by tabs.", "different: SIPI writes to standard output", basePrint},
	{"rawlen", "v", "Returns the length of a table or string without metamethods.", "same", baseRawLen},
	{"require", "name", "Runs `name.lua` of the script directory once per call and returns its value. Names consist of letters, digits and `_`.", "same", baseRequire},
	{"setmetatable", "t, metatable", "Sets the metatable of a table, or takes it away with nil, and returns the table.", "same", baseSetMetatable},
	{"tonumber", "v, [base]", "Returns v as a number, or nil.", "same", baseToNumber},
	{"xpcall", "f, handler, ...", "Calls f with the further arguments; errors go through handler.", "same", baseXPCall},
	{syntax.OpIntDiv, "a, b", "What `a // b` calls.", "", arithmetic(syntax.OpIntDiv)},
	{syntax.OpBitAnd, "a, b", "What `a & b` calls.", "", arithmetic(syntax.OpBitAnd)},
	{syntax.OpBitOr, "a, b", "What `a | b` calls.", "", arithmetic(syntax.OpBitOr)},
	{syntax.OpBitXor, "a, b", "What `a ~ b` calls.", "", arithmetic(syntax.OpBitXor)},
	{syntax.OpShiftLeft, "a, b", "What `a << b` calls.", "", arithmetic(syntax.OpShiftLeft)},
	{syntax.OpShiftRight, "a, b", "What `a >> b` calls.", "", arithmetic(syntax.OpShiftRight)},
	{syntax.OpBitNot, "a", "What `~a` calls.", "", bitNot},
}

// keptFunctions are the functions of gopher-lua's libraries that scripts
// get. Everything else that the libraries bring is removed.
var keptFunctions = map[string][]string{
	"": {
		"error", "getmetatable", "ipairs", "next", "pcall", "rawequal", "rawget", "rawset",
		"select", "tostring", "type", "unpack",
	},
	"table": {"insert", "remove", "sort"},
	"math": {
		"abs", "acos", "asin", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod",
		"frexp", "huge", "ldexp", "log10", "max", "min", "modf", "pi", "pow", "rad",
		"sin", "sinh", "sqrt", "tan", "tanh",
	},
}

// baseSetMetatable takes tables alone, as Lua does; gopher-lua lets a script
// set the metatable of all numbers.
func baseSetMetatable(_ *call, l *glua.LState) int {
	t := l.CheckTable(1)
	l.CheckTypes(2, glua.LTNil, glua.LTTable)
	if l.GetMetaField(t, "__metatable") != glua.LNil {
		l.RaiseError("cannot change a protected metatable")
	}
	l.SetMetatable(t, l.Get(2))
	l.SetTop(1)
	return 1
}

func baseAssert(_ *call, l *glua.LState) int {
	l.CheckAny(1)
	if l.ToBool(1) {
		return l.GetTop()
	}
	if l.GetTop() < 2 {
		l.RaiseError("assertion failed!")
	}
	if text, ok := l.Get(2).(glua.LString); ok {
		l.Error(text, 0)
	}
	l.Error(l.Get(2), 0)
	return 0
}

func basePairs(c *call, l *glua.LState) int {
	v := l.CheckAny(1)
	if mt := l.GetMetaField(v, "__pairs"); mt.Type() == glua.LTFunction {
		l.Push(mt)
		l.Push(v)
		l.Call(1, 3)
		return 3
	}
	l.CheckTable(1)
	l.Push(c.next)
	l.Push(v)
	l.Push(glua.LNil)
	return 3
}

func basePrint(c *call, l *glua.LState) int {
	parts := make([]string, l.GetTop())
	for i := range parts {
		parts[i] = l.ToStringMeta(l.Get(i + 1)).String()
	}
	if err := c.log(levelInfo, strings.Join(parts, "\t"), nil); err != nil {
		l.RaiseError("%s", err.Error())
	}
	return 0
}

func baseRawLen(_ *call, l *glua.LState) int {
	switch v := l.Get(1).(type) {
	case *glua.LTable:
		l.Push(glua.LNumber(v.Len()))
	case glua.LString:
		l.Push(glua.LNumber(len(v)))
	default:
		l.RaiseError("table or string expected")
	}
	return 1
}

// parseNumber reads a numeral with white space around and a sign before it.
func parseNumber(text string) (value float64, ok bool) {
	t := strings.Trim(text, " \f\n\r\t\v")
	sign := 1.0
	if s, cut := strings.CutPrefix(t, "-"); cut {
		t, sign = s, -1
	} else {
		t = strings.TrimPrefix(t, "+")
	}
	if t == "" || t[0] == '+' || t[0] == '-' {
		return 0, false
	}
	value, _, ok = syntax.ParseNumber(t)
	return sign * value, ok
}

func baseToNumber(_ *call, l *glua.LState) int {
	v := l.CheckAny(1)
	result := glua.LNil
	if l.Get(2) == glua.LNil {
		switch v := v.(type) {
		case glua.LNumber:
			result = v
		case glua.LString:
			if f, ok := parseNumber(string(v)); ok {
				result = glua.LNumber(f)
			}
		}
		l.Push(result)
		return 1
	}
	base := checkInteger(l, 2)
	if base < 2 || base > 36 {
		l.RaiseError("bad argument #2 to 'tonumber' (base out of range)")
	}
	if n, err := strconv.ParseInt(strings.ToLower(strings.Trim(l.CheckString(1), " \f\n\r\t\v")), int(base), 64); err == nil {
		result = glua.LNumber(n)
	}
	l.Push(result)
	return 1
}

// baseXPCall calls f in protected mode. The handler runs after the stack has
// been unwound.
func baseXPCall(_ *call, l *glua.LState) int {
	f, handler := l.CheckAny(1), l.CheckFunction(2)
	top := l.GetTop()
	l.Push(f)
	for i := 3; i <= top; i++ {
		l.Push(l.Get(i))
	}
	err := l.PCall(top-2, glua.MultRet, nil)
	if err == nil {
		l.Insert(glua.LTrue, top+1)
		return l.GetTop() - top
	}
	l.SetTop(top)
	l.Push(glua.LFalse)
	l.Push(handler)
	l.Push(errorValue(err))
	l.Call(1, glua.MultRet)
	return l.GetTop() - top
}

// errorValue is the value that a failed protected call raised.
func errorValue(err error) glua.LValue {
	if e, ok := err.(*glua.ApiError); ok && e.Object != nil { //nolint:errorlint // gopher-lua returns it unwrapped
		return e.Object
	}
	return glua.LString(err.Error())
}

func baseRequire(c *call, l *glua.LState) int {
	name := l.CheckString(1)
	loaded, ok := l.GetField(l.GetGlobal("package"), "loaded").(*glua.LTable)
	if !ok {
		l.RaiseError("package.loaded is not a table")
		return 0
	}
	if v := loaded.RawGetString(name); v != glua.LNil {
		l.Push(v)
		return 1
	}
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		l.RaiseError("%s", fmt.Sprintf("module name %q: only letters, digits and _ are allowed", name))
	}
	proto, err := c.chunks.load(c.settings.scriptPath(name + ".lua"))
	if err != nil {
		l.RaiseError("module '%s': %s", name, err.Error())
	}
	l.Push(l.NewFunctionFromProto(proto))
	l.Push(glua.LString(name))
	l.Call(1, 1)
	v := l.Get(-1)
	if v == glua.LNil {
		if v = loaded.RawGetString(name); v == glua.LNil {
			v = glua.LTrue
		}
	}
	loaded.RawSetString(name, v)
	l.Push(v)
	return 1
}
