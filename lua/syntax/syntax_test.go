package syntax_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
	"pgregory.net/rapid"

	"example.com/iiifd/lua/syntax"
)

func compile(t *testing.T, src string) *lua.FunctionProto {
	t.Helper()
	stmts, err := syntax.Parse(src)
	if err != nil {
		t.Fatalf("%s\n%v", src, err)
	}
	proto, err := lua.Compile(stmts, "chunk")
	if err != nil {
		t.Fatalf("%s\n%v", src, err)
	}
	return proto
}

// sameCode compares the byte code of this parser's tree with that of
// gopher-lua's own parser, lines included.
func sameCode(t *testing.T, src string) {
	t.Helper()
	stmts, err := parse.Parse(strings.NewReader(src), "chunk")
	if err != nil {
		t.Fatalf("gopher-lua's parser: %v", err)
	}
	want, err := lua.Compile(stmts, "chunk")
	if err != nil {
		t.Fatal(err)
	}
	if got := compile(t, src); got.String() != want.String() {
		g, w := strings.Split(got.String(), "\n"), strings.Split(want.String(), "\n")
		i := 0
		for i < len(g) && i < len(w) && g[i] == w[i] {
			i++
		}
		t.Errorf("%.200s\ncode line %d\ngot  %v\nwant %v", src, i, g[i:min(i+3, len(g))], w[i:min(i+3, len(w))])
	}
}

func TestSameCodeAsGopherLua(t *testing.T) {
	for _, src := range lua51 {
		sameCode(t, src)
	}
	if dir := os.Getenv("LUA_CORPUS"); dir != "" {
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".lua") {
				src, _ := os.ReadFile(dir + "/" + f.Name())
				t.Run(f.Name(), func(t *testing.T) { sameCode(t, string(src)) })
			}
		}
	}
}

var lua51 = []string{
	"", ";", "return", "return 1, 2;", "local a", "local a, b = 1",
	"a = 1", "a.b.c = f(1)(2):m{3}:n'x' [1]", "a, b[1], c.d = 1, f(), ...",
	"if a then b() elseif c then d() elseif e then else f() end",
	"while a < 1 do a = a + 1 break end", "repeat local x = 1 until x == 1",
	"for i = 1, 10 do f(i) end for i = 1, 10, 2 do end",
	"for k, v in pairs(t) do print(k, v) end",
	"function f.a.b:c(x, ...) return x, ... end", "local function f(n) return f(n - 1) end",
	"do local x = {1, 2; a = 3, [4] = 5, f(), ...,} end",
	"return -x^2, not a == b, #t + 1, a .. b .. c, 2^3^2, -2^2",
	"return a or b and c, (a or b) and c, a < b == (c > d), a ~= b",
	"return (f()), (...), ((a)), f((g()))",
	"goto done do goto continue ::continue:: end ::done::",
	"x = 'a\\n\\065\\'b' y = [[\nlong]] z = [==[a]]b]==] -- c\n--[[ long\ncomment ]] w = 1",
	"return 1 + 2 * 3 - 4 / 5 % 6, 0x10, .5, 1e3, 3.25",
	"return function(a, b) return function() return a, b end end",
	"f()\ng()\n\nlocal t = {\n  a = function()\n return 1 end,\n}\nreturn t",
}

func TestExpressionsHaveGopherLuasPriorities(t *testing.T) {
	ops := []string{"or", "and", "<", ">", "<=", ">=", "~=", "==", "..", "+", "-", "*", "/", "%", "^"}
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		b.WriteString("return a")
		for range rapid.IntRange(1, 6).Draw(rt, "n") {
			b.WriteString(" " + rapid.SampledFrom(ops).Draw(rt, "op") + " ")
			b.WriteString(rapid.SampledFrom([]string{"", "", "-", "not ", "#"}).Draw(rt, "unary"))
			b.WriteString(rapid.SampledFrom([]string{"a", "b.c", "f()", "(d)", "1"}).Draw(rt, "operand"))
		}
		sameCode(t, b.String())
	})
}

func run(t *testing.T, src string) string {
	t.Helper()
	l := lua.NewState()
	defer l.Close()
	for op := range syntax.Operators {
		l.SetGlobal(op, l.NewFunction(func(l *lua.LState) int {
			parts := []string{op}
			for i := 1; i <= l.GetTop(); i++ {
				parts = append(parts, l.ToStringMeta(l.Get(i)).String())
			}
			l.Push(lua.LString("(" + strings.Join(parts, " ") + ")"))
			return 1
		}))
	}
	l.Push(l.NewFunctionFromProto(compile(t, src)))
	l.Call(0, 1)
	return l.ToString(-1)
}

func TestLua53(t *testing.T) {
	for src, want := range map[string]string{
		"return 7 // 2":                  "(// 7 2)",
		"return 1 | 2 ~ 3 & 4 << 5":      "(| 1 (~ 2 (& 3 (<< 4 5))))",
		"return 1 << 2 + 3 .. 4":         "(<< 1 54)",
		"return ~1":                      "(~x 1)",
		"return tostring(~~1 ~= 1)":      "true",
		"return 010 + 0x10":              "26",
		"return 0xA.8p1":                 "21",
		"return '\\x41\\u{20AC}\\z   b'": "A€b",
		"return tostring('\\u{D800}' == '\\237\\160\\128')":                                   "true",
		"local f = 5 do local f = function() return f end return f() end":                     "5",
		"local function f(n) if n == 0 then return 'end' end return f(n - 1) end return f(3)": "end",
		"for i = 1, 3 do if i == 2 then break; end x = i end return x":                        "1",
		"return f\n(1)":                                "7",
		"#!/bin/lua\nreturn 3":                         "3",
		"\ufeffreturn 3":                               "3",
		"\ufeff#!lua\nreturn 3":                        "3",
		"return tostring(9223372036854775808 == 2^63)": "true",
	} {
		if got := run(t, strings.Replace(src, "return f\n", "f = function() return 7 end return f\n", 1)); got != want {
			t.Errorf("%s = %s, want %s", src, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"local x <const> = 1":           "Lua 5.4",
		"x = 9007199254740993":          "2^53",
		"x = 9223372036854775807":       "2^53",
		"x = 0xffffffffffffffff":        "2^53",
		"x = 0xFFFFFFFFFFFFFFFF":        "2^53",
		"x = 1_000":                     "malformed number",
		"x = 3y":                        "malformed number",
		"x = 'a\nb'":                    "unfinished string",
		"x = '\\q'":                     "invalid escape",
		"x = [[a":                       "unfinished long string",
		"(a) = 1":                       "cannot assign",
		"a.b":                           "syntax error",
		"(f())":                         "syntax error",
		"return 1 x = 2":                "last statement",
		"if a then":                     "'end' expected",
		"while true do\n\nf(":           "unexpected end of file",
		"x = = 1":                       "unexpected '='",
		"x = $":                         "unexpected character",
		"for 1 = 2, 3 do end":           "'name' expected",
		"f(" + strings.Repeat("(", 300): "too deeply",
		strings.Repeat("do ", 300):      "too deeply",
	} {
		_, err := syntax.Parse(src)
		var e *syntax.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want) {
			t.Errorf("Parse(%.40q) = %v, want %q", src, err, want)
		}
	}
	_, err := syntax.Parse("x = 1\ny = [[\n\n]] $")
	var e *syntax.Error
	if !errors.As(err, &e) || e.Line != 4 || e.Column != 4 {
		t.Errorf("position of an error = %v, want line 4, column 4", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range lua51 {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		stmts, err := syntax.Parse(src)
		if err == nil {
			_, _ = lua.Compile(stmts, "chunk")
		}
	})
}
