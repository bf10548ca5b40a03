package lua

import (
	"slices"
	"sort"
	"strings"
	"testing"
)

// listGlobals prints every name below _G, once per table.
const listGlobals = `
local seen = {}
local function walk(t, prefix)
	if seen[t] then return end
	seen[t] = true
	for k, v in pairs(t) do
		local name = prefix .. tostring(k)
		if name == 'config' then
			for field in pairs(config) do server.print('config.', field, '\n') end
		elseif type(v) == 'table' and k ~= '_G' and k ~= 'loaded' and next(v) ~= nil then
			walk(v, name .. '.')
		else
			server.print(name, '\n')
		end
	end
end
walk(_G, '')
`

// documented are all names that the tables give.
func documented() []string {
	var names []string
	for _, t := range functionTables() {
		for _, b := range t.bindings {
			if !strings.Contains(b.name, ":") {
				names = append(names, b.name)
			}
		}
	}
	for prefix, list := range keptFunctions {
		for _, name := range list {
			if prefix != "" {
				name = prefix + "." + name
			}
			names = append(names, name)
		}
	}
	for _, f := range fields() {
		names = append(names, f.name)
	}
	sort.Strings(names)
	return slices.Compact(names)
}

func TestGlobalsAreTheTables(t *testing.T) {
	b := newBench(t, nil, nil)
	full := &Request{
		Method: "POST", Host: "h", URI: "/u", ContentType: "text/plain", Content: strings.NewReader("body"), Docroot: "/d",
		Query: []Pair{{"q", "1"}}, Form: []Pair{{"f", "1"}}, Uploads: []Upload{{TempName: "/t"}},
	}
	var got []string
	for name := range strings.Lines(b.eval(listGlobals, full)) {
		name = strings.TrimSuffix(name, "\n")
		// Values of the request are fields as a whole.
		for _, f := range []string{"server.get", "server.post", "server.request", "server.uploads", "server.loglevel"} {
			if strings.HasPrefix(name, f+".") {
				name = f
			}
		}
		got = append(got, name)
	}
	sort.Strings(got)
	got = slices.Compact(got)
	want := documented()
	for _, name := range got {
		if _, ok := slices.BinarySearch(want, name); !ok {
			t.Errorf("%s is in a fresh machine, but in no table", name)
		}
	}
	for _, name := range want {
		if _, ok := slices.BinarySearch(got, name); !ok {
			t.Errorf("%s is in a table, but not in a fresh machine", name)
		}
	}
}

func TestNoWayOut(t *testing.T) {
	b := newBench(t, nil, nil)
	for _, name := range []string{
		"io", "debug", "coroutine", "dofile", "loadfile", "load", "loadstring", "collectgarbage", "module", "newproxy",
		"setfenv", "getfenv", "os.execute", "os.exit", "os.remove", "os.rename", "os.tmpname", "string.dump",
		"package.loadlib", "package.searchpath", "package.loaders", "_printregs", "channel",
	} {
		if got := b.eval("local ok, v = pcall(function() return "+name+" end) server.print(tostring(v))", nil); got != "nil" {
			t.Errorf("%s is %s", name, got)
		}
	}
	for _, module := range []string{"../x", "/etc/passwd", "a.b", "", "a/b", "a\x00"} {
		b.script("eval.lua", "server.print(tostring(pcall(require, ("+luaString(module)+"))))")
		if _, got, err := b.serve("eval.lua", nil); err != nil || !strings.HasPrefix(got, "false") {
			t.Errorf("require %q: %q, %v", module, got, err)
		}
	}
}

// luaString writes a Lua literal.
func luaString(s string) string {
	return "'" + strings.NewReplacer("'", "\\'", "\x00", "\\0", "\\", "\\\\").Replace(s) + "'"
}
