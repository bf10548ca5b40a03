package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/render"
)

// egress books answers in memory with the admission controller, which is
// made after the cache: the books need to know what the cache's directory
// takes. Before that nothing is served, so nothing is booked.
type egress struct {
	ledger atomic.Pointer[admission.Ledger]
}

// of returns the ledger of a client's key.
func (e *egress) of(key string) cache.Ledger { return &keyLedger{egress: e, key: key} }

// keyLedger is the egress ledger for one client.
type keyLedger struct {
	egress *egress
	key    string
}

func (l *keyLedger) Reserve(n int64) bool {
	ledger := l.egress.ledger.Load()
	return ledger != nil && ledger.Take(l.key, n)
}

func (l *keyLedger) Release(n int64) {
	if ledger := l.egress.ledger.Load(); ledger != nil {
		ledger.Give(l.key, n)
	}
}

// openEngine starts libvips; drawings are made by processes of this program.
func (s *service) openEngine(reg prometheus.Registerer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if s.engine, err = decode.Start(s.cfg.Decode, s.log, reg); err != nil {
		return err
	}
	s.engine.DrawApart([]string{self, decode.DrawCommand})
	return nil
}

// openCache opens the derivative cache and says how much memory its
// directory takes, where that is a memory file system.
func (s *service) openCache(reg prometheus.Registerer) error {
	var err error
	s.cache, err = cache.New(s.cfg.Cache, s.egress.of(""), s.log, reg)
	return err
}

// openAdmission closes the books and starts admission.
func (s *service) openAdmission(reg prometheus.Registerer) error {
	cfg := s.cfg.Admission
	cfg.RequestTimeout, cfg.BodyReadTimeout = s.cfg.Server.RequestTimeout, s.cfg.Server.BodyReadTimeout
	cfg.TrustedProxies = s.cfg.Server.TrustedProxies
	scriptMemory, workers := s.cfg.scriptMemory()
	hookMemory, hookSlots := s.cfg.hookMemory()
	var err error
	s.admission, err = admission.New(cfg, admission.Facts{
		Root:      os.DirFS("/"),
		IdleFloor: residentBytes() + workers, GoIdle: goBytes(), ScriptMemory: scriptMemory, HookMemory: hookMemory, HookSlots: hookSlots,
		OffDisk: s.cache.BookedBytes() + s.bookedDisk,
		Vips:    func() (int64, bool) { return decode.ReadAllocator().Allocated, true },
		GoHeap:  func() (int64, bool) { return goLive(), true },
		Cached:  s.cache.MemoryBytes,
	}, s.log, reg)
	if err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	books := s.admission.Books()
	s.cache.SetMemoryBytes(books.MemoryCache)
	s.egress.ledger.Store(s.admission.Egress)
	debug.SetMemoryLimit(books.GoMemLimit)
	s.pace = startPace(books.Envelope)
	s.janitor = startJanitor()
	return nil
}

// openBeside starts what works beside requests, with a part of the threads
// that admission leaves to it.
func (s *service) openBeside() {
	threads := s.admission.Snapshot().Threads.Total
	s.prefetch = render.NewPrefetcher(s.renderer, threads/4)
	s.warmer = render.NewWarmer(s.renderer, threads/2, s.log)
}

// residentBytes is the process' resident memory; 0 where it cannot be read.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// goBytes is the memory that the Go runtime holds and has not returned.
func goBytes() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// goLive is the part of goBytes that collecting garbage could not return. The
// rest says nothing of how short memory is: the runtime lets garbage grow up
// to its limit whenever it is worth the time.
func goLive() int64 {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/os-stacks:bytes"},
		{Name: "/memory/classes/metadata/mcache/inuse:bytes"},
		{Name: "/memory/classes/metadata/mspan/inuse:bytes"},
		{Name: "/memory/classes/metadata/other:bytes"},
		{Name: "/memory/classes/other:bytes"},
		{Name: "/memory/classes/profiling/buckets:bytes"},
	}
	metrics.Read(samples)
	sum := int64(0)
	for _, s := range samples {
		sum += int64(s.Value.Uint64())
	}
	return sum
}

// probes is how many headers may be read at once by default.
func (s *service) probes() int { return 4 * s.admission.Snapshot().Threads.Total }
