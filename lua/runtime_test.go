package lua

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	b := newBench(t, map[string]string{
		"init.lua":  "greeting = 'hello'\nroutes = {{method = 'GET', route = '/hi', script = 'hi.lua'}}",
		"hi.lua":    "server.sendStatus(201) server.sendHeader('X-A', '1') server.sendHeader('X-A', '2')\nserver.sendHeader('content-type', 'text/plain') server.print(greeting, ' ', 42)",
		"page.elua": "<h1><lua>x = 3 server.print(greeting)</lua></h1>\n<lua>server.print(x)</lua>!",
		"bad.lua":   "server.print('some')\nerror('broken')",
		"long.lua":  "for i = 1, 3000 do server.print(string.rep('x', 1000)) end",
		"cut.lua":   "for i = 1, 300 do server.print(string.rep('x', 1000)) end error('late')",
		"empty.lua": "",
	}, nil)
	resp, body, err := b.serve("hi.lua", nil)
	if err != nil || resp.Status != 201 || body != "hello 42" || strings.Join(resp.Header["X-A"], ",") != "1,2" || resp.Length != 8 {
		t.Errorf("hi.lua: %+v %q %v", resp, body, err)
	}
	if resp.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("header %v", resp.Header)
	}
	if _, body, err = b.serve("page.elua", nil); body != "<h1>hello</h1>\n3!" || err != nil {
		t.Errorf("page.elua: %q %v", body, err)
	}
	if resp, body, err = b.serve("empty.lua", nil); err != nil || resp.Status != http.StatusOK || body != "" {
		t.Errorf("empty.lua: %v %q %v", resp, body, err)
	}
	var scriptError *ScriptError
	if _, _, err = b.serve("bad.lua", nil); !errors.As(err, &scriptError) || !strings.Contains(scriptError.Message, "bad.lua:2: broken") {
		t.Errorf("bad.lua: %v", err)
	}
	if _, _, err = b.serve("none.lua", nil); !errors.Is(err, ErrNoScript) {
		t.Errorf("none.lua: %v", err)
	}
	if _, body, err = b.serve("long.lua", nil); len(body) != 3_000_000 || err != nil {
		t.Errorf("long.lua: %d bytes, %v", len(body), err)
	}
	resp, err = b.runtime.Serve(t.Context(), "cut.lua", nil)
	if err != nil {
		t.Fatalf("cut.lua: %v", err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); !errors.As(err, &scriptError) || n == 0 {
		t.Errorf("cut.lua: %d bytes, then %v", n, err)
	}
	if len(b.runtime.Routes()) != 1 {
		t.Errorf("routes %v", b.runtime.Routes())
	}
}

func TestNothingSurvivesACall(t *testing.T) {
	b := newBench(t, map[string]string{
		"one.lua": "leaked = 1 string.leaked = 2 server.leaked = 3 getmetatable('').leaked = 4",
		"two.lua": "server.print(tostring(leaked), tostring(string.leaked), tostring(server.leaked), tostring(getmetatable('').leaked))",
	}, nil)
	for range 3 {
		if _, _, err := b.serve("one.lua", nil); err != nil {
			t.Fatal(err)
		}
		if _, body, err := b.serve("two.lua", nil); body != "nilnilnilnil" || err != nil {
			t.Fatalf("%q %v", body, err)
		}
	}
}

func TestChangedScriptIsCompiledAnew(t *testing.T) {
	b := newBench(t, map[string]string{"m.lua": "return 1"}, nil)
	if got := b.eval("server.print(require 'm', require 'm')", nil); got != "11" {
		t.Errorf("got %q", got)
	}
	b.script("m.lua", "return 'changed'")
	if got := b.eval("server.print(require 'm')", nil); got != "changed" {
		t.Errorf("got %q", got)
	}
}

func TestBrokenInitScriptRefusesStart(t *testing.T) {
	for _, init := range []string{"x = = 1", "error 'no'", "routes = {{method = 'GET', route = '/a', script = 'a.lua'}, {method = 'GET', route = '/a/', script = 'b.lua'}}", "routes = {{method = 'FETCH', route = '/a', script = 'a.lua'}}", "pre_flight = 3", "while true do end"} {
		b := &bench{t: t}
		dir := t.TempDir()
		b.scripts = dir
		b.script("init.lua", init)
		c := Config{ScriptDir: dir, InitScript: "init.lua", MemoryLimit: 64 << 20, Timeout: 2e9, Slots: 1, HookSlots: 1}
		if r, err := New(t.Context(), c, &fakeHost{}, nil, nil); err == nil {
			r.Close()
			t.Errorf("%q starts", init)
		}
	}
}
