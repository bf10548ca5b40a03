package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// binding is a function that scripts can call. The tables of bindings are
// all that a fresh machine has: what no table names does not exist, and the
// reference in docs/lua.md is made from them.
type binding struct {
	// name is the place in the globals: "server.fs.mkdir", or
	// "SipiImage:crop" for a method.
	name string
	// args are the parameters as the reference shows them.
	args string
	// doc is one or more sentences: what it returns, units, errors.
	doc string
	// sipi tells how the function compares with SIPI's: "same", a text that
	// begins with "different: ", or "" for functions SIPI does not have.
	sipi string
	fn   func(*call, *glua.LState) int
}

// functionTable is a heading of the reference with its functions.
type functionTable struct {
	title    string
	bindings []binding
}

// field is a value that scripts find in a table of ours.
type field struct{ name, doc, sipi string }

// functionTables are the tables that make up the globals, in the order of
// the reference.
func functionTables() []functionTable {
	return []functionTable{
		{"Base", baseBindings},
		{"string", stringBindings},
		{"table", tableBindings},
		{"math", mathBindings},
		{"utf8", utf8Bindings},
		{"bit32", bit32Bindings},
		{"os", osBindings},
		{"server", serverBindings},
		{"server: requests to others", httpBindings},
		{"server: JSON and tokens", jsonBindings},
		{"server: identifiers", uuidBindings},
		{"server: media types", mimeBindings},
		{"server.fs", fsBindings},
		{"helper", helperBindings},
		{"SipiImage", imageBindings},
		{"sqlite", sqliteBindings},
		{"iiifd", ownBindings},
	}
}

// install puts the functions of a table into the globals. Names with ":" are
// methods and are installed by the type that has them.
func (c *call) install(l *glua.LState, bindings []binding) {
	for i := range bindings {
		b := &bindings[i]
		if strings.Contains(b.name, ":") {
			continue
		}
		t := l.G.Global
		name := b.name
		for {
			first, rest, nested := strings.Cut(name, ".")
			if !nested {
				break
			}
			inner, ok := t.RawGetString(first).(*glua.LTable)
			if !ok {
				inner = l.CreateTable(0, 32)
				t.RawSetString(first, inner)
			}
			t, name = inner, rest
		}
		t.RawSetString(name, c.function(l, b.fn))
	}
}

// methods returns a table of the methods of a type.
func (c *call) methods(l *glua.LState, typeName string) *glua.LTable {
	t := l.CreateTable(0, 8)
	for _, table := range c.tables {
		for i := range table.bindings {
			if name, ok := strings.CutPrefix(table.bindings[i].name, typeName+":"); ok {
				t.RawSetString(name, c.function(l, table.bindings[i].fn))
			}
		}
	}
	return t
}

// function makes a Lua function that looks at the budget before it works.
func (c *call) function(l *glua.LState, fn func(*call, *glua.LState) int) *glua.LFunction {
	return l.NewFunction(func(l *glua.LState) int {
		c.budget.poll(l)
		return fn(c, l)
	})
}

// succeed is the return of functions that answer true, value.
func succeed(l *glua.LState, v glua.LValue) int {
	l.Push(glua.LTrue)
	l.Push(v)
	return 2
}

// failed is the return of functions that answer false, message.
func failed(l *glua.LState, err error) int {
	l.Push(glua.LFalse)
	l.Push(glua.LString(message(err)))
	return 2
}

// answer is succeed or failed, after err.
func answer(l *glua.LState, v glua.LValue, err error) int {
	if err != nil {
		return failed(l, err)
	}
	return succeed(l, v)
}
