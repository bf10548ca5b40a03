package lua

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/iiifd/auth"
)

// TestSQLiteSettingsOfTheProcess cannot be changed: the next call would find
// them so.
func TestSQLiteSettingsOfTheProcess(t *testing.T) {
	b := newBench(t, nil, nil)
	outside := t.TempDir()
	for _, sql := range []string{
		"PRAGMA hard_heap_limit = 1000", "pragma main.hard_heap_limit(1000)", "PRAGMA soft_heap_limit = 1", `PRAGMA "HARD_heap_limit" = 1000`,
		"SELECT * FROM pragma_hard_heap_limit(1000)", "PRAGMA temp_store_directory = '" + outside + "'", "PRAGMA data_store_directory = '" + outside + "'",
	} {
		code := "local db = sqlite(config.imgroot .. '/db', 'CRW') server.print(tostring((pcall(function() local q = db << [[" + sql + "]] return q() end))))"
		if got := b.eval(code, nil); got != "false" {
			t.Errorf("%s: %s", sql, got)
		}
	}
	if got := b.eval("local db = sqlite(config.imgroot .. '/db', 'CRW') local q = db << 'select hex(zeroblob(100000))' server.print(#q()[0])", nil); got != "200000" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestEveryTableIsFresh: what a script does to shared tables and metatables
// is gone in the next, on the same worker.
func TestEveryTableIsFresh(t *testing.T) {
	b := newBench(t, map[string]string{
		"poison.lua": `
			for _, t in pairs({string, table, math, utf8, os, server, server.fs, SipiImage, iiifd, config, package, package.loaded, server.loglevel}) do
				for k in pairs(t) do pcall(function() t[k] = function() return 'poisoned' end end) end
			end
			local strings = getmetatable('') if type(strings) == 'table' then strings.__index = function() return 'poisoned' end strings.__call = function() return 'poisoned' end end
			local ok, img = SipiImage.new(config.imgroot) local mt = getmetatable(img) if type(mt) == 'table' then for k in pairs(mt) do mt[k] = nil end end
			for k in pairs(_G) do if k ~= '_G' then _G[k] = nil end end`,
		"clean.lua": `
			local db = sqlite(config.imgroot .. '/db', 'CRW') local q = db << 'select 7' local row = q()
			server.print(('x'):upper(), math.floor(1.5), #utf8.char(228), server.loglevel.LOG_ERR, row[0], tostring(server.method), config.port, tostring(select(2, server.fs.exists(config.imgroot))))`,
	}, nil)
	for range 3 {
		if _, _, err := b.serve("poison.lua", nil); err != nil {
			t.Logf("poison: %v", err)
		}
		if _, body, err := b.serve("clean.lua", &Request{Method: "GET"}); err != nil || body != "X1247GET8182true" {
			t.Errorf("%q %v", body, err)
		}
	}
}

// TestNoPartOfARequestSurvives: bodies, cookies and headers of one client are
// in no other's call.
func TestNoPartOfARequestSurvives(t *testing.T) {
	b := newBench(t, map[string]string{
		"all.lua": `local function walk(t, seen) for k, v in pairs(t) do
			if type(v) == 'table' and not seen[v] then seen[v] = true walk(v, seen) elseif type(v) == 'string' then server.print(tostring(k), '=', v, '\n') end end end
			walk(_G, {[_G] = true})`,
		"fail.lua": "error('after the secret')", "loop.lua": "while true do end",
	}, func(c *Config) { c.Timeout = 400 * time.Millisecond })
	for _, first := range []string{"all.lua", "fail.lua", "loop.lua"} {
		secret := &Request{
			Method: "POST", URI: "/SECRET", Host: "SECRET", ClientIP: "SECRET", Header: map[string][]string{"cookie": {"SECRET=1"}, "authorization": {"Bearer SECRET"}},
			Query: []Pair{{"a", "SECRET"}}, Form: []Pair{{"SECRET", "1"}}, ContentType: "text/SECRET", Content: strings.NewReader(strings.Repeat("SECRET ", 20000)),
		}
		_, _, _ = b.serve(first, secret)
		if _, body, err := b.serve("all.lua", &Request{Method: "GET"}); err != nil || strings.Contains(body, "SECRET") || !strings.Contains(body, "GET") {
			t.Errorf("after %s: %v %.300s", first, err, body)
		}
	}
}

// TestKilledWorkers: a worker that is killed from outside, idle or in a call,
// costs that call at most.
func TestKilledWorkers(t *testing.T) {
	b := newBench(t, map[string]string{
		"init.lua": "function pre_flight() return 'allow' end",
		"die.lua":  "server.print(string.rep('x', 100)) while true do end", "good.lua": "server.print('fine')",
	}, nil)
	for i := range 10 {
		b.runtime.observe = func(w *worker) {
			if i%2 == 0 {
				_ = w.cmd.Process.Signal(syscall.SIGKILL)
				return
			}
			time.AfterFunc(5*time.Millisecond, func() { _ = w.cmd.Process.Signal(syscall.SIGKILL) })
		}
		if _, body, err := b.serve("die.lua", nil); err == nil {
			t.Errorf("a killed script answered %q", body)
		}
		if i%2 == 0 {
			if d, err := b.runtime.Authorize(t.Context(), auth.Request{}); err == nil {
				t.Errorf("a killed hook said %+v", d)
			}
		}
		b.runtime.observe = nil
		if _, body, err := b.serve("good.lua", nil); err != nil || body != "fine" {
			t.Errorf("afterwards: %q %v", body, err)
		}
		if d, err := b.runtime.Authorize(t.Context(), auth.Request{}); err != nil || !d.Granted() {
			t.Errorf("afterwards: %+v %v", d, err)
		}
	}
}

// TestFilesThatBlock: a FIFO in a permitted directory blocks no script.
func TestFilesThatBlock(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "x"}, nil)
	if err := syscall.Mkfifo(filepath.Join(b.files, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{
		"server.fs.copyFile(P, config.imgroot .. '/b')", "server.fs.copyFile(config.imgroot .. '/a.txt', P)",
		"server.file_mimetype(P)", "server.file_mimeconsistency(P)", "pcall(function() local q = sqlite(P) << 'select * from t' return q() end)",
	} {
		if got := b.eval("local P = config.imgroot .. '/pipe' server.print(tostring(("+call+")))", nil); got != "false" {
			t.Errorf("%s: %s", call, got)
		}
	}
}

// TestHeadersStayHeaders: no name or value of a script's ends a field.
func TestHeadersStayHeaders(t *testing.T) {
	b := newBench(t, nil, nil)
	for _, code := range []string{
		`server.sendHeader('X-A', 'b\r\nX-Injected: 1')`, `server.sendHeader('X-A\r\nX-Injected', '1')`, `server.sendHeader('X-A: 1\nX-Injected', '1')`,
		`server.sendHeader('X-A', 'b\nX-Injected: 1')`, `server.sendHeader('X-A', 'b\0')`, `server.sendHeader('', 'b')`, `server.sendHeader('X A', 'b')`,
		`server.sendCookie('a', 'b\r\nX-Injected: 1')`, `server.sendCookie('a\r\nX-Injected: 1', 'b')`, `server.sendCookie('a', 'b', {path = '/\r\nX-Injected: 1'})`,
		`server.sendCookie('a', 'b', {domain = 'x\r\nX-Injected: 1'})`, `server.sendHeader('Set-Cookie', 'a=b\r\nX-Injected: 1')`,
	} {
		b.script("eval.lua", code+" server.print('x')")
		resp, _, err := b.serve("eval.lua", nil)
		if err != nil {
			continue
		}
		for name, values := range resp.Header {
			if http.CanonicalHeaderKey(name) == "X-Injected" || strings.ContainsAny(name+fmt.Sprint(values), "\r\n\x00") {
				t.Errorf("%s: %q %q", code, name, values)
			}
		}
	}
}
