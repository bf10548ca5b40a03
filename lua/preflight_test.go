package lua

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/iiifd/auth"
)

const hookScript = `
local n = 0
function pre_flight(prefix, identifier, cookie)
	local f = config.imgroot .. '/' .. identifier
	if identifier == 'table' then return {type = 'restrict', size = '!128,128', watermark = '/wm.tif'}, f end
	if identifier == 'login' then return {type = 'login', cookieUrl = 'c', tokenUrl = 't', label = 'Log in'}, f end
	if identifier == 'halflogin' then return {type = 'login', cookieUrl = 'c'}, f end
	if identifier == 'number' then return {type = 'restrict', size = 128}, f end
	if identifier == 'badsize' then return {type = 'restrict', size = 'tiny'}, f end
	if identifier == 'nosize' then return 'restrict', f end
	if identifier == 'emptytable' then return {type = 'restrict'}, f end
	if identifier == 'respond' then server.sendHeader('X-Why', 'tea') server.sendStatus(418) server.print('no') return end
	if identifier == 'wrong' then return 'maybe', f end
	if identifier == 'nothing' then return end
	if identifier == 'error' then error('hook broke') end
	if identifier == 'loop' then while true do end end
	if identifier == 'cookie' then return cookie == 'a=1; b=2' and server.cookies.b == '2' and 'allow' or 'deny', f end
	if identifier == 'hidden' then return server.get == nil and server.content == nil and 'allow' or 'deny', f end
	if identifier == 'time' then return 'allow', tostring(server.uuid()) .. select(2, server.uuid()) end
	return identifier, f
end
`

func TestPreFlight(t *testing.T) {
	b := newBench(t, map[string]string{"init.lua": hookScript}, func(c *Config) { c.Timeout = 500 * time.Millisecond })
	ask := func(id string, use auth.Use, header map[string][]string) (auth.Decision, error) {
		return b.runtime.Authorize(t.Context(), auth.Request{Use: use, Prefix: "p", Identifier: id, Header: header})
	}
	withCookie := map[string][]string{"cookie": {"a=1", "b=2"}}
	for _, c := range []struct {
		id     string
		header map[string][]string
		kind   auth.Kind
		status int
	}{
		{"allow", nil, auth.Allow, 0},
		{"deny", nil, auth.Deny, 401},
		{"deny", withCookie, auth.Deny, 403},
		{"table", nil, auth.Restrict, 0},
		{"nosize", nil, auth.Restrict, 0},
		{"emptytable", nil, auth.Restrict, 0},
		{"login", nil, auth.Login, 401},
		{"cookie", withCookie, auth.Allow, 0},
		{"cookie", nil, auth.Deny, 401},
		{"hidden", nil, auth.Allow, 0},
		{"respond", nil, auth.Respond, 418},
	} {
		for _, use := range []auth.Use{auth.UseImage, auth.UseInfo, auth.UseKnora} {
			d, err := ask(c.id, use, c.header)
			if err != nil || d.Kind != c.kind || d.Status != c.status {
				t.Errorf("%s for %s: %+v, %v", c.id, use, d, err)
			}
		}
		if d, err := ask(c.id, auth.UseFile, c.header); err != nil || d.Granted() {
			t.Errorf("%s: the file is open without file_pre_flight: %+v, %v", c.id, d, err)
		}
	}
	d, _ := ask("table", auth.UseImage, nil)
	if d.Size.String() != "!128,128" || d.Watermark != "/wm.tif" || d.Path != b.files+"/table" {
		t.Errorf("restriction %+v", d)
	}
	for _, id := range []string{"nosize", "emptytable"} {
		if d, _ = ask(id, auth.UseImage, nil); d.Size.String() != "!128,128" || d.Watermark != "" {
			t.Errorf("%s: a restriction without a size is %+v", id, d)
		}
	}
	if d, _ = ask("login", auth.UseInfo, nil); d.Service == nil || d.Service.Fields["label"] != "Log in" {
		t.Errorf("service %+v", d.Service)
	}
	if d, _ = ask("respond", auth.UseImage, nil); string(d.Response.Body) != "no" || d.Response.Header["X-Why"][0] != "tea" {
		t.Errorf("response %+v", d.Response)
	}
	var script *ScriptError
	for _, id := range []string{"halflogin", "number", "badsize", "wrong", "nothing", "error"} {
		if d, err := ask(id, auth.UseImage, nil); !errors.As(err, &script) || d.Granted() {
			t.Errorf("%s: %+v, %v", id, d, err)
		}
	}
	var killed *KilledError
	if d, err := ask("loop", auth.UseImage, nil); !errors.As(err, &killed) || d.Granted() {
		t.Errorf("loop: %+v, %v", d, err)
	}
}

func TestFilePreFlight(t *testing.T) {
	b := newBench(t, map[string]string{"init.lua": hookScript + `
function file_pre_flight(path, cookie)
	local name = path:match('[^/]*$')
	if name == 'table' then return 'allow', path end
	if name == 'allow' and cookie ~= '' then return 'restrict', path end
	if name == 'allow' then return 'allow', path end
	return 'deny'
end`}, nil)
	for _, c := range []struct {
		id     string
		header map[string][]string
		want   auth.Kind
	}{
		{"allow", nil, auth.Allow},
		{"allow", map[string][]string{"cookie": {"x=1"}}, auth.Deny},
		{"table", nil, auth.Allow},
		{"deny", nil, auth.Deny},
		{"login", nil, auth.Login},
		{"hidden", nil, auth.Deny},
	} {
		d, err := b.runtime.Authorize(t.Context(), auth.Request{Use: auth.UseFile, Identifier: c.id, Header: c.header})
		if err != nil || d.Kind != c.want {
			t.Errorf("%s: %+v, %v", c.id, d, err)
		}
	}
}

func TestFilesWithoutHooks(t *testing.T) {
	file := auth.Request{Use: auth.UseFile, Identifier: "allow"}
	for _, c := range []struct {
		init    string
		open    bool
		id      string
		granted bool
	}{
		{"", false, "allow", true}, {hookScript, false, "allow", false}, {hookScript, true, "allow", true}, {hookScript, true, "table", false}, {hookScript, true, "deny", false},
	} {
		b := newBench(t, map[string]string{"init.lua": c.init}, func(cfg *Config) { cfg.OpenFiles = c.open })
		file.Identifier = c.id
		if d, err := b.runtime.Authorize(t.Context(), file); err != nil || d.Granted() != c.granted {
			t.Errorf("%+v: %+v, %v", c, d, err)
		}
	}
}

func TestHookThatVanishesFailsClosed(t *testing.T) {
	b := newBench(t, map[string]string{"init.lua": hookScript}, nil)
	for _, init := range []string{"", "x = = 1", "error('x')"} {
		b.script("init.lua", init)
		if d, err := b.runtime.Authorize(t.Context(), auth.Request{Identifier: "allow"}); err == nil {
			t.Errorf("%q: %+v", init, d)
		}
	}
}

func TestVerdictsAreRemembered(t *testing.T) {
	b := newBench(t, map[string]string{"init.lua": hookScript}, func(c *Config) { c.CacheTTL, c.CacheSlots = time.Hour, 2 })
	path := func(id, cookie string) string {
		d, err := b.runtime.Authorize(t.Context(), auth.Request{Use: auth.UseImage, Identifier: id, Header: map[string][]string{"cookie": {cookie}}})
		if err != nil {
			t.Fatal(err)
		}
		return d.Path
	}
	first := path("time", "a")
	if path("time", "a") != first {
		t.Error("the verdict is not remembered")
	}
	if path("time", "b") == first {
		t.Error("another cookie shares the verdict")
	}
	for _, id := range []string{"1", "2", "3"} {
		_, _ = b.runtime.Authorize(t.Context(), auth.Request{Identifier: id})
	}
	if n := len(b.runtime.decisions.entries); n > 2 {
		t.Errorf("%d entries in 2 slots", n)
	}
}

func TestHooksHaveTheirOwnBound(t *testing.T) {
	b := newBench(t, map[string]string{"init.lua": hookScript, "slow.lua": "while true do end"}, func(c *Config) { c.Slots, c.HookSlots = 1, 1 })
	ctx, cancel := contextWithCancel(t)
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = b.runtime.Serve(ctx, "slow.lua", nil) })
	for !strings.Contains(gauge(b.runtime.metrics.running.WithLabelValues("script")), "1") {
		time.Sleep(time.Millisecond)
	}
	if d, err := b.runtime.Authorize(t.Context(), auth.Request{Identifier: "allow"}); err != nil || !d.Granted() {
		t.Errorf("a hook beside a slow script: %+v, %v", d, err)
	}
	cancel()
	wg.Wait()
}

// TestHooksHaveTheirOwnMemory: a hook that holds more than its limit is ended
// where a script may go on.
func TestHooksHaveTheirOwnMemory(t *testing.T) {
	const hold = "local t = {} for i = 1, 40 do t[i] = string.rep('x', 2^19) end "
	b := newBench(t, map[string]string{
		"init.lua":   "function pre_flight(_, id) if id == 'large' then " + hold + " end return 'allow' end",
		"script.lua": hold + "server.print(#t)",
	}, func(c *Config) { c.HookMemory, c.MemoryLimit = 8<<20, 128<<20 })
	for range 3 {
		var killed *KilledError
		if d, err := b.runtime.Authorize(t.Context(), auth.Request{Identifier: "large"}); !errors.As(err, &killed) || killed.Reason != ReasonMemory || d.Granted() {
			t.Errorf("a large hook: %+v, %v", d, err)
		}
		if _, body, err := b.serve("script.lua", nil); body != "40" || err != nil {
			t.Errorf("a script of that size: %q, %v", body, err)
		}
		if d, err := b.runtime.Authorize(t.Context(), auth.Request{Identifier: "small"}); err != nil || !d.Granted() {
			t.Errorf("a small hook: %+v, %v", d, err)
		}
	}
}
