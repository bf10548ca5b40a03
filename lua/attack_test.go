package lua

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/iiifd/auth"
)

// attacks are scripts that want more than they may have. Each must end with
// one of the reasons, or with an error of the script's own where the machine
// itself refuses.
var attacks = map[string]struct {
	code    string
	reasons []Reason
}{
	"doubling string":        {"local s = 'x' while true do s = s .. s end", []Reason{ReasonMemory}},
	"doubling with pcall":    {"local s = 'x' while true do pcall(function() s = s .. s end) end", []Reason{ReasonMemory}},
	"string kept in a table": {"local t = {} while true do t[#t + 1] = string.rep('x', 1000) .. #t end", []Reason{ReasonMemory}},
	"table fill":             {"local t = {} local i = 0 while true do i = i + 1 t[i] = {i} end", []Reason{ReasonMemory}},
	"hash fill":              {"local t = {} local i = 0 while true do i = i + 1 t['k' .. i] = i end", []Reason{ReasonMemory}},
	"sparse index":           {"local t = {} for i = 1, 64 do t[i] = {} t[i][4194303] = 1 end", []Reason{ReasonMemory}},
	"globals fill":           {"local i = 0 while true do i = i + 1 _G['g' .. i] = string.rep('y', 4096) .. i end", []Reason{ReasonMemory}},
	"giant rep":              {"local s = string.rep('x', 1e10)", []Reason{ReasonMemory}},
	"giant rep with pcall":   {"while true do pcall(string.rep, 'x', 1e10) end", []Reason{ReasonMemory}},
	"rep of rep":             {"local s = string.rep(string.rep('x', 2^20), 2^20)", []Reason{ReasonMemory}},
	"concat":                 {"local t = {} for i = 1, 1e6 do t[i] = 'xxxxxxxxxxxxxxxx' end while true do t[1] = table.concat(t) end", []Reason{ReasonMemory}},
	"gsub that grows":        {"local s = 'x' while true do s = s:gsub('x', 'xx') end", []Reason{ReasonTime, ReasonMemory}},
	"format":                 {"local t = {} while true do t[#t + 1] = string.format('%99d%99d%99d', 1, 2, 3) end", []Reason{ReasonMemory}},
	"endless loop":           {"while true do end", []Reason{ReasonTime}},
	"empty goto":             {"::a:: goto a", []Reason{ReasonTime}},
	"loop with pcall":        {"while true do pcall(function() while true do end end) end", []Reason{ReasonTime}},
	"xpcall handler loops":   {"xpcall(function() while true do end end, function() while true do end end)", []Reason{ReasonTime}},
	"error in error":         {"local function f() return xpcall(f, f) end f() while true do end", []Reason{ReasonTime, ReasonMemory}},
	"recursion caught":       {"local function f() return 1 + f() end while true do pcall(f) end", []Reason{ReasonTime}},
	"tail calls":             {"local function f() return f() end f()", []Reason{ReasonTime, ReasonMemory}},
	"pcall recursion":        {"local function f() pcall(f) end f() while true do end", []Reason{ReasonTime, ReasonMemory}},
	"index recursion":        {"local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end while true do pcall(function() return t.x end) end", []Reason{ReasonTime, ReasonMemory}},
	"index cycle":            {"local t = setmetatable({}, {}) getmetatable(t).__index = t while true do pcall(function() return t.x end) end", []Reason{ReasonTime}},
	"concat metamethod":      {"local mt = {} mt.__concat = function(a, b) return setmetatable({a, b}, mt) end local t = setmetatable({}, mt) while true do t = t .. t end", []Reason{ReasonMemory}},
	"tostring metamethod":    {"local t = setmetatable({}, {__tostring = function() while true do end end}) tostring(t)", []Reason{ReasonTime}},
	"pairs metamethod":       {"local t = setmetatable({}, {__pairs = function() return function() return 1 end end}) for _ in pairs(t) do end", []Reason{ReasonTime}},
	"sort that never ends":   {"local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t, function() return math.random() < 0.5 end) end", []Reason{ReasonTime}},
	"native sort":            {"local t = {} for i = 1, 1e6 do t[i] = math.random() end while true do table.sort(t) t[1] = math.random() * 2 end", []Reason{ReasonTime, ReasonMemory}},
	"backtracking":           {"string.find(string.rep('a', 30000), string.rep('.-', 20) .. 'b')", []Reason{ReasonTime}},
	"backtracking in gsub":   {"string.gsub(string.rep('a', 30000), string.rep('a*', 20) .. 'b', '')", []Reason{ReasonTime}},
	"pattern of captures":    {"string.find(string.rep('a', 100000), string.rep('(a-)', 30) .. 'b')", []Reason{ReasonTime}},
	"huge pattern":           {"local p = string.rep('[a-z]', 1e6) while true do string.find(string.rep('b', 1e6), p .. '%d') end", []Reason{ReasonTime, ReasonMemory}},
	"unpack":                 {"local t = {} for i = 1, 1e5 do t[i] = i end while true do pcall(function() return {unpack(t)}, {unpack(t)} end) pcall(string.char, unpack(t)) end", []Reason{ReasonTime, ReasonMemory}},
	"table.move":             {"table.move({}, 1, 2^53, 2)", []Reason{ReasonTime, ReasonMemory}},
	"print for ever":         {"while true do server.print(string.rep('x', 100)) end", []Reason{ReasonTime}},
	"headers for ever":       {"while true do server.sendHeader('X-' .. math.random(), string.rep('x', 1000)) end", []Reason{ReasonTime}},
	"log for ever":           {"while true do print(string.rep('x', 100000)) end", []Reason{ReasonTime}},
	"json bomb":              {"local t = {} for i = 1, 24 do t = {t, t} end server.table_to_json(t)", []Reason{ReasonTime, ReasonMemory}},
	"json text bomb":         {"local s = '[' .. string.rep('[],', 2^23) .. '[]]' while true do server.json_to_table(s) end", []Reason{ReasonTime, ReasonMemory}},
	"jwt bomb":               {"local s = string.rep('x', 2^24) while true do server.generate_jwt({a = s}) end", []Reason{ReasonTime, ReasonMemory}},
}

func TestAttacks(t *testing.T) {
	files := map[string]string{"good.lua": "server.print('fine')"}
	for name, a := range attacks {
		files[strings.ReplaceAll(name, " ", "-")+".lua"] = a.code
	}
	// What runs out of time needs little of it; what runs out of memory may
	// take long on a busy machine.
	short := newBench(t, files, func(c *Config) { c.Timeout = 700 * time.Millisecond })
	long := newBench(t, files, func(c *Config) { c.Timeout = time.Minute })
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			b := long
			if a.reasons[0] == ReasonTime {
				b = short
			}
			peak := watchPeak(t, b.runtime)
			_, _, err := b.serve(strings.ReplaceAll(name, " ", "-")+".lua", nil)
			var killed *KilledError
			if !errors.As(err, &killed) {
				t.Fatalf("ended with %v", err)
			}
			ok := false
			for _, r := range a.reasons {
				ok = ok || killed.Reason == r
			}
			if !ok {
				t.Errorf("ended because of %s, want %v (%.300s)", killed.Reason, a.reasons, killed.Detail)
			}
			t.Logf("%-22s %-7s peak %d MiB %.200s", name, killed.Reason, peak()>>20, killed.Detail)
			if got := peak(); got > 2*b.config.MemoryLimit {
				t.Errorf("held %d MiB above the idle process", got>>20)
			}
			if _, body, err := b.serve("good.lua", nil); body != "fine" || err != nil {
				t.Errorf("the next script: %q, %v", body, err)
			}
		})
	}
}

// watchPeak samples the memory of the workers that calls use, above that of
// an idle one.
func watchPeak(t *testing.T, r *Runtime) func() int64 {
	t.Helper()
	var peak atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	r.observe = func(w *worker) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-w.exited:
					return
				case <-time.After(500 * time.Microsecond):
					peak.Store(max(peak.Load(), w.gauge.read()-w.base))
				}
			}
		})
	}
	var once sync.Once
	return func() int64 {
		once.Do(func() {
			close(stop)
			wg.Wait()
			r.observe = nil
		})
		return peak.Load()
	}
}

func TestKernelWall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("RLIMIT_DATA counts mappings on Linux alone")
	}
	b := newBench(t, map[string]string{"double.lua": attacks["doubling string"].code}, nil)
	peak := watchPeak(t, b.runtime)
	sample := b.runtime.observe
	b.runtime.observe = func(w *worker) {
		w.limit = math.MaxInt64 // nobody watches
		sample(w)
	}
	_, _, err := b.serve("double.lua", nil)
	var killed *KilledError
	if !errors.As(err, &killed) || killed.Reason != ReasonMemory {
		t.Fatalf("ended with %v", err)
	}
	t.Logf("peak %d MiB", peak()>>20)
	if got := peak(); got > 2*b.config.MemoryLimit {
		t.Errorf("held %d MiB", got>>20)
	}
}

// TestWorkersHaveTheirThreads: the kernel's wall stands after the threads were
// started, which a worker could not get behind it once its heap has grown.
func TestWorkersHaveTheirThreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("RLIMIT_DATA counts mappings on Linux alone")
	}
	b := newBench(t, nil, nil)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", b.runtime.scripts.pool.idle[0].cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) < 8 {
		t.Errorf("an idle worker has %d threads", len(tasks))
	}
}

func TestOthersDoNotNoticeAnAttack(t *testing.T) {
	b := newBench(t, map[string]string{
		"init.lua": "function pre_flight() return 'allow' end", "good.lua": "server.print('fine')",
		"memory.lua": attacks["doubling string"].code, "deep.lua": attacks["table fill"].code,
	}, nil)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var killed atomic.Int64
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			var k *KilledError
			if _, _, err := b.serve([]string{"memory.lua", "deep.lua"}[i%2], nil); errors.As(err, &k) {
				killed.Add(1)
			} else {
				t.Errorf("attack ended with %v", err)
			}
		}
	})
	for range 300 {
		if _, body, err := b.serve("good.lua", nil); err != nil || body != "fine" {
			t.Errorf("%q %v", body, err)
		}
		if d, err := b.runtime.Authorize(t.Context(), auth.Request{Identifier: "x"}); err != nil || !d.Granted() {
			t.Errorf("%+v %v", d, err)
		}
	}
	for killed.Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	wg.Wait()
}

func TestInstructionLimit(t *testing.T) {
	b := newBench(t, map[string]string{"loop.lua": "while true do end"}, func(c *Config) { c.Instructions = 1 })
	_, _, err := b.serve("loop.lua", nil)
	var killed *KilledError
	if !errors.As(err, &killed) || killed.Reason != ReasonInstructions {
		t.Errorf("ended with %v", err)
	}
	if starts := gauge(b.runtime.metrics.starts); !strings.Contains(starts, "value:1") {
		t.Errorf("the worker was replaced: %s", starts)
	}
}

func TestClose(t *testing.T) {
	b := newBench(t, map[string]string{"good.lua": ""}, nil)
	c := b.config
	r, err := New(t.Context(), c, b.host, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := r.scripts.pool.idle[0]
	r.Close()
	<-w.exited
	if _, err := r.Serve(t.Context(), "good.lua", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
