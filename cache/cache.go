// Package cache keeps derivatives, the encoded answers to IIIF requests, in
// memory over disk, and joins identical work that is in flight.
//
// The memory tier is bounded in bytes; the disk tier in bytes and files. An
// entry on disk is written to a temporary file and renamed when it is whole,
// and served only where its checksums match: a crash loses what was being
// written, a power failure or a bad disk costs entries, and neither gives a
// wrong answer. A disk that is full, read-only or gone costs entries too,
// never an answer.
//
// Lock order: disk.commits, Cache.mu, then one of memory.mu, disk.mu,
// stream.mu.
package cache

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// mostStoring is how many small answers are written to disk at once. Behind
// a disk that is slower than the encoders the rest is not stored.
const mostStoring = 64

// Cache is both tiers and the fills in flight. Its methods may be called from
// several goroutines at once.
type Cache struct {
	log     *slog.Logger
	m       *metrics
	ledger  Ledger
	memory  *memory
	disk    *disk
	blocks  sync.Pool // of *[blockBytes]byte
	storing atomic.Int64

	fills sync.WaitGroup
	tends sync.WaitGroup
	stop  context.CancelFunc

	mu      sync.Mutex
	closed  bool
	flights map[id]*flight // to join
	running map[*flight]struct{}
	purges  uint64 // purges so far
}

// New opens the cache. A directory that cannot be used is no error: it is
// logged, counted and tried again, and answers are served uncached. The
// directory's index is read in the background. ledger books the memory of
// answers between encoder and client. reg may be nil.
func New(cfg Config, ledger Ledger, log *slog.Logger, reg prometheus.Registerer) (*Cache, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if ledger == nil {
		return nil, errors.New("cache: no ledger")
	}
	if cfg.SpoolBytes == 0 {
		cfg.SpoolBytes = defaultSpool
	}
	m := newMetrics(reg)
	ctx, stop := context.WithCancel(context.Background())
	c := &Cache{
		log: log, m: m, ledger: ledger, stop: stop,
		memory:  newMemory(cfg.MemoryBytes, m),
		disk:    newDisk(ctx, cfg, log, m),
		flights: make(map[id]*flight),
		running: make(map[*flight]struct{}),
	}
	if c.disk.dir != "" {
		c.tends.Go(func() { c.disk.tend(ctx) })
	}
	return c, nil
}

// Close ends all fills, waits for them and gives the directory's lock back.
// Readers that are open can be read on as far as their answers have come.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed = true
	for f := range c.running {
		f.cancel(ErrClosed)
	}
	c.mu.Unlock()
	c.stop()
	c.fills.Wait()
	c.tends.Wait()
	c.disk.close()
	return nil
}

// Get returns the cached answer of that key. The Reader must be closed.
func (c *Cache) Get(key Key) (*Reader, bool) {
	r, _ := c.lookup(key, key.id())
	if r == nil {
		c.m.misses.Inc()
	}
	return r, r != nil
}

// Has tells whether an answer of that key is thought to be cached, and where,
// without reading it or counting as a use.
func (c *Cache) Has(key Key) (Outcome, bool) {
	i := key.id()
	if c.memory.has(i) {
		return Memory, true
	}
	return Disk, c.disk.has(i)
}

func (c *Cache) has(i id) bool { return c.memory.has(i) || c.disk.has(i) }

// lookup finds a cached answer; a nil Reader is a miss.
func (c *Cache) lookup(key Key, i id) (*Reader, Outcome) {
	if b := c.memory.get(i); b != nil {
		c.disk.touch(i)
		c.m.hits[Memory].Inc()
		return b.reader(), Memory
	}
	c.mu.Lock()
	purges := c.purges
	c.mu.Unlock()
	s, verified := c.disk.open(key, i)
	if s == nil {
		return nil, Disk
	}
	r, err := c.read(s, i, verified, purges)
	if err != nil {
		c.disk.unreadable(i, s, err)
		return nil, Disk
	}
	c.disk.served(i, s)
	c.m.hits[Disk].Inc()
	return r, Disk
}

// read returns a reader of an opened entry, every block of which has been
// checked once by this process. A small entry is read into the memory tier
// or, where that has no room, into memory for its reader, and closed.
func (c *Cache) read(s *stored, i id, verified bool, purges uint64) (*Reader, error) {
	if s.n > AnswerBytes || !c.ledger.Reserve(s.n) {
		if !verified {
			if err := s.verify(); err != nil {
				return nil, err
			}
		}
		return &Reader{note: s.note, content: s}, nil
	}
	b, err := s.load(i)
	if err != nil {
		c.ledger.Release(s.n)
		return nil, err
	}
	defer s.close()
	b.free = func() { c.ledger.Release(b.n) }
	b.refs.Store(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	// An entry purged since it was opened must not come back here.
	if purges == c.purges && c.memory.add(b) {
		c.ledger.Release(b.n)
	}
	return b.reader(), nil
}

// startLocked starts a flight with its first reader.
func (c *Cache) startLocked(ctx context.Context, f *flight, ledger Ledger, fill Fill) *Reader {
	if !f.nested {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, f.cancel = context.WithCancelCause(ctx)
	f.started = time.Now()
	f.published, f.returned = make(chan struct{}), make(chan struct{})
	f.stream = newStream(ledger, func() error { return context.Cause(ctx) })
	r := &Reader{content: joined{f}}
	f.stream.attach(r)
	if !f.nested && c.flights[f.id] == nil {
		c.flights[f.id] = f
	}
	c.running[f] = struct{}{}
	c.m.inFlight.Set(float64(len(c.running)))
	c.fills.Go(func() { f.run(ctx, fill) })
	return r
}

// SetMemoryBytes bounds the memory tier anew and evicts what is above.
func (c *Cache) SetMemoryBytes(n int64) { c.memory.resize(n) }

// SetDiskBytes lowers the disk tier's bound, evicting what is above; 0
// returns to the configured one.
func (c *Cache) SetDiskBytes(n int64) { c.disk.resize(n) }

func (c *Cache) newBlock() []byte {
	if b, ok := c.blocks.Get().(*[blockBytes]byte); ok {
		return b[:0]
	}
	return make([]byte, 0, blockBytes)
}

// recycle takes a block that no reader has seen.
func (c *Cache) recycle(b []byte) {
	if cap(b) == blockBytes {
		c.blocks.Put((*[blockBytes]byte)(b[:blockBytes]))
	}
}
