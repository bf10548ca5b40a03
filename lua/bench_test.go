package lua

import (
	"io"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

func BenchmarkEmptyRoute(b *testing.B) {
	bench := newBench(b, map[string]string{"empty.lua": "server.print('ok')"}, nil)
	req := &Request{Method: "GET", URI: "/empty", Host: "localhost", Header: map[string][]string{"accept": {"*/*"}, "cookie": {"a=b"}}}
	b.SetParallelism(1)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := bench.runtime.Serve(b.Context(), "empty.lua", req)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	})
}

// TestMemoryStaysFlat compares the memory of server and workers after a
// tenth of the calls with that at the end. LUA_SOAK sets the number.
func TestMemoryStaysFlat(t *testing.T) {
	calls := 4000
	if n, err := strconv.Atoi(os.Getenv("LUA_SOAK")); err == nil {
		calls = n
	}
	b := newBench(t, map[string]string{
		"route.lua": "local t = {} for i = 1, 100 do t[i] = {name = 'n' .. i} end local _, json = server.table_to_json(t) server.print(json)",
	}, nil)
	own, err := newMemoryGauge(os.Getpid())
	if err != nil {
		t.Skip(err)
	}
	defer own.close()
	run := func(n int) (server, worker int64) {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range n / 2 {
					if _, _, err := b.serve("route.lua", nil); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		for _, w := range b.runtime.scripts.pool.idle {
			worker = max(worker, w.gauge.read()-w.base)
		}
		return own.read(), worker
	}
	server1, worker1 := run(calls / 10)
	server2, worker2 := run(calls - calls/10)
	t.Logf("idle worker %d KiB; server %d → %d KiB, workers above their idle size %d → %d KiB", b.runtime.scripts.pool.idle[0].base>>10, server1>>10, server2>>10, worker1>>10, worker2>>10)
	if server2 > server1+16<<20 || worker2 > worker1+16<<20 {
		t.Error("memory grows with the number of calls")
	}
}

func BenchmarkMachine(b *testing.B) {
	s := &settings{}
	for b.Loop() {
		c := &call{settings: s, chunks: newChunkCache(), request: &wireRequest{}, budget: newBudget(time.Now().Add(time.Hour), 64<<20, 0, 0), response: &responseWriter{}}
		c.newMachine().Close()
	}
}
