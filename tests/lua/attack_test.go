//go:build e2e

package lua

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// attacks want more than scripts may have.
var attacks = map[string]string{
	"doubling":    "local s = 'x' while true do s = s .. s end",
	"caught":      "local s = 'x' while true do pcall(function() s = s .. s end) end",
	"table":       "local t = {} local i = 0 while true do i = i + 1 t[i] = {i} end",
	"hash":        "local t = {} local i = 0 while true do i = i + 1 t['k' .. i] = i end",
	"sparse":      "local t = {} for i = 1, 64 do t[i] = {} t[i][4194303] = 1 end",
	"rep":         "while true do pcall(string.rep, 'x', 1e10) end",
	"concat":      "local t = {} for i = 1, 1e6 do t[i] = 'xxxxxxxxxxxxxxxx' end while true do t[1] = table.concat(t) end",
	"loop":        "while true do end",
	"pcallloop":   "while true do pcall(function() while true do end end) end",
	"recursion":   "local function f() return 1 + f() end while true do pcall(f) end",
	"sort":        "local t = {} for i = 1, 1e6 do t[i] = math.random() end while true do table.sort(t) t[1] = math.random() * 2 end",
	"backtrack":   "string.find(string.rep('a', 30000), string.rep('.-', 20) .. 'b')",
	"hugepattern": "local p = string.rep('[a-z]', 1e6) while true do string.find(string.rep('b', 1e6), p .. '%d') end",
	"print":       "while true do server.print(string.rep('x', 100)) end",
	"json":        "local t = {} for i = 1, 24 do t = {t, t} end server.table_to_json(t)",
	"jwt":         "local s = string.rep('x', 2^24) while true do server.generate_jwt({a = s}) end",
	"images":      "while true do local ok, i = SipiImage.new(config.imgroot .. '/a.jpg') i:scale('^8000,') i:write(config.tmpdir .. '/x.tif') end",
}

// TestAttacks sends hostile scripts at a live server while tiles flow: every
// tile is answered, and the process lives.
func TestAttacks(t *testing.T) {
	s := serve(t, cgroup(t), attacks, "--nthreads=4", "--queue-timeout-tile=20s", "--lua-timeout=3s", "--hook-slots=1")
	stop := make(chan struct{})
	var flowing sync.WaitGroup
	var mu sync.Mutex
	var waits []time.Duration
	for worker := range 2 {
		flowing.Go(func() {
			for i := worker; ; i += 2 {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				status, err := s.fetch(tile(i))
				if status != http.StatusOK || err != nil {
					t.Errorf("tile %d: %d %v", i, status, err)
				}
				mu.Lock()
				waits = append(waits, time.Since(began))
				mu.Unlock()
			}
		})
	}
	statuses := map[int]int{}
	var attackers sync.WaitGroup
	for name := range attacks {
		attackers.Go(func() {
			for {
				status, err := s.fetch("/" + name)
				if status == http.StatusServiceUnavailable {
					continue // Others hold the scripts' permits; the queue has its own wait.
				}
				if status == http.StatusOK && err == nil && name != "images" {
					t.Errorf("%s ended well", name)
				}
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				return
			}
		})
	}
	attackers.Wait()
	close(stop)
	flowing.Wait()
	select {
	case err := <-s.ended:
		t.Fatalf("the server ended: %v", err)
	default:
	}
	if status, err := s.fetch("/readyz"); status != http.StatusOK {
		t.Errorf("afterwards: %d %v", status, err)
	}
	slices.Sort(waits)
	t.Logf("%d tiles, median %v, slowest %v; attacks ended with %v", len(waits), waits[len(waits)/2], waits[len(waits)-1], statuses)
}
