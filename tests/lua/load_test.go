//go:build e2e

package lua

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// requests is how many empty scripts TestLoad runs, e.g. by
//
//	go test -tags e2e ./tests/lua -run TestLoad -v -requests 200000
var requests = flag.Int("requests", 20_000, "scripts that TestLoad runs")

// use is what the server and its workers have taken.
type use struct {
	server, workers int64         // resident memory in bytes
	processes       int           // workers
	cpu             time.Duration // server, workers, and workers that ended
}

// used reads what the server takes from /proc.
func (s *server) used(t *testing.T) use {
	t.Helper()
	var u use
	u.server = resident(s.pid)
	u.cpu = processorTime(s.pid, true)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if f := fields(pid); len(f) > 1 && f[1] == strconv.Itoa(s.pid) {
			u.processes++
			u.workers += resident(pid)
			u.cpu += processorTime(pid, false)
		}
	}
	return u
}

// fields are the fields of /proc/PID/stat from the third on: the state, the
// parent and so on.
func fields(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // Processes come and go.
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}

func resident(pid int) int64 {
	f := fields(pid)
	if len(f) < 22 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[21], 10, 64)
	return pages * int64(os.Getpagesize())
}

// processorTime is in the kernel's hundredths of a second.
func processorTime(pid int, children bool) time.Duration {
	f := fields(pid)
	if len(f) < 15 {
		return 0
	}
	last := 13
	if children {
		last = 15
	}
	var ticks int64
	for _, text := range f[11:last] {
		n, _ := strconv.ParseInt(text, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// TestLoad runs empty scripts from four clients at once and reports their
// rate, the processor time of each, and the resident memory of server and
// workers ten times on the way, which must not grow.
func TestLoad(t *testing.T) {
	s := serve(t, "", map[string]string{"empty": ""}, "--log-level=warn")
	run := func(n int) {
		var next atomic.Int64
		var clients sync.WaitGroup
		for range 4 {
			clients.Go(func() {
				for next.Add(1) <= int64(n) {
					if status, err := s.fetch("/empty"); status != http.StatusOK || err != nil {
						t.Errorf("%d %v", status, err)
						return
					}
				}
			})
		}
		clients.Wait()
	}
	run(*requests / 10) // Grows heaps and caches to their size.
	first := s.used(t)
	before, began := first, time.Now()
	for i := range 10 {
		start := time.Now()
		run(*requests / 10)
		now := s.used(t)
		n := *requests / 10
		t.Logf("%7d requests: %5.0f a second, %3.0f µs of processor time each; server %.1f MiB, %d workers %.1f MiB", (i+1)*n,
			float64(n)/time.Since(start).Seconds(), float64((now.cpu-before.cpu).Microseconds())/float64(n),
			mebibytes(now.server), now.processes, mebibytes(now.workers))
		before = now
	}
	each := (before.cpu - first.cpu) / time.Duration(*requests)
	t.Logf("%.0f a second over all, %v of processor time each: %.0f a second on two cores", float64(*requests)/time.Since(began).Seconds(), each, 2/each.Seconds())
	if grown := before.server + before.workers - first.server - first.workers; grown > 32<<20 {
		t.Errorf("resident memory grew by %.1f MiB", mebibytes(grown))
	}
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
