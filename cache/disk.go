package cache

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// layoutDir is the directory below the configured one; another format
	// would have another name.
	layoutDir  = "v1"
	tempDir    = "tmp"
	lockName   = "lock"
	tempSuffix = ".tmp"

	// tendEvery is how often a fault is looked at again.
	tendEvery = 30 * time.Second
	// pauseFor is how long nothing is written after the volume was full.
	pauseFor = 10 * time.Second
)

// diskState is what the directory can be used for.
type diskState int

const (
	diskOff      diskState = iota // nothing
	diskReadOnly                  // entries are served
	diskOn
)

func (s diskState) String() string {
	switch s {
	case diskOn:
		return "on"
	case diskReadOnly:
		return "read-only"
	default:
		return "off"
	}
}

// disk is the disk tier. No fault of the file system is an error for its
// callers: what cannot be read is a miss, what cannot be written is not
// stored; both are counted, and a change of state is logged once.
//
// The order of use survives a restart through the files' access times, which
// are set when an entry is opened and the last time is more than an hour old.
type disk struct {
	cfg    Config
	dir    string // empty: no disk tier
	sync   bool
	prefix string // of this process's temporary files
	serial atomic.Uint64
	log    *slog.Logger
	m      *metrics
	kick   chan struct{}
	// closing is closed when the cache is.
	closing <-chan struct{}
	// openTemp creates a spool file.
	openTemp func(path string) (*os.File, error)

	// commits is held over each change to the set of entries in the
	// directory, with the check that allows it. It is taken before any
	// other mutex.
	commits sync.Mutex

	mu       sync.Mutex
	ix       index
	state    diskState
	reason   string
	lock     *os.File
	volume   filesystem
	limit    int64
	files    int
	override int64 // limit set at run time, 0 for none
	// walking: lookups must look at the directory, too. indexed is closed
	// when the bounds are known to hold.
	walking bool
	indexed chan struct{}
	paused  time.Time
	faulty  bool // nothing was stored since the last failed write
	noSpace bool // tend is to give room back to the volume
	spooled int64
}

func newDisk(ctx context.Context, cfg Config, log *slog.Logger, m *metrics) *disk {
	d := &disk{
		cfg: cfg, sync: cfg.Sync, log: log, m: m,
		prefix: strconv.FormatUint(rand.Uint64(), 36) + "-",
		kick:   make(chan struct{}, 1), closing: ctx.Done(), indexed: make(chan struct{}),
	}
	close(d.indexed)
	d.openTemp = func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	d.ix.reset()
	d.m.disabled.Set(1)
	dir, err := cfg.Directory()
	if err != nil {
		d.reason = err.Error()
		d.log.WarnContext(ctx, "no directory for the derivative cache: serving uncached", slog.Any("error", err))
		return d
	}
	if dir == "" {
		d.reason = "turned off"
		return d
	}
	d.dir = dir
	d.enable()
	return d
}

func (d *disk) root() string     { return filepath.Join(d.dir, layoutDir) }
func (d *disk) temp() string     { return filepath.Join(d.root(), tempDir) }
func (d *disk) path(i id) string { return filepath.Join(d.root(), i.fan(), i.name()) }

// enable takes the directory into use as far as it goes. It is called at the
// start and again while the state is not diskOn.
func (d *disk) enable() {
	state, err := d.claim()
	var reason string
	if err != nil {
		reason = err.Error()
	}
	volume, volumeErr := inspect(d.dir)

	d.mu.Lock()
	defer d.mu.Unlock()
	if volumeErr == nil {
		d.volume = volume
	}
	d.boundLocked()
	if d.state == diskOff && state != diskOff {
		if !d.walking {
			d.walking, d.indexed = true, make(chan struct{})
		}
	}
	d.setStateLocked(state, reason)
	d.showLocked()
}

func (d *disk) setStateLocked(state diskState, reason string) {
	if state == d.state && reason == d.reason {
		return
	}
	d.state, d.reason = state, reason
	switch state {
	case diskOn:
		d.log.Info("derivative cache in use", slog.String("dir", d.dir), slog.Int64("limit_bytes", d.limit), slog.Int("limit_files", d.files))
	case diskReadOnly:
		d.log.Warn("derivative cache cannot be written: nothing new is stored", slog.String("dir", d.dir), slog.String("reason", reason))
	default:
		d.log.Warn("derivative cache cannot be used: serving uncached", slog.String("dir", d.dir), slog.String("reason", reason))
	}
}

func (d *disk) showLocked() {
	d.m.bytes.WithLabelValues(tierDisk).Set(float64(d.ix.bytes))
	d.m.entries.WithLabelValues(tierDisk).Set(float64(len(d.ix.nodes)))
	d.m.spool.Set(float64(d.spooled))
	d.m.disabled.Set(bit(d.state != diskOn || d.faulty))
	d.m.indexing.Set(bit(d.indexingLocked()))
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// tend reads the directory and looks after faults until ctx ends.
func (d *disk) tend(ctx context.Context) {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		d.walk(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-d.kick:
		}
		// A cache that shares a full volume shrinks instead of failing.
		if d.tookNoSpace() {
			d.shrink(1)
		}
		state, lock := d.current()
		if state == diskOn && !sameFile(lock, filepath.Join(d.dir, lockName)) {
			d.lost()
		}
		if state, _ := d.current(); state != diskOn {
			d.enable()
		}
	}
}

func (d *disk) tookNoSpace() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.noSpace
	d.noSpace = false
	return was
}

func (d *disk) current() (diskState, *os.File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state, d.lock
}

// close gives the lock back.
func (d *disk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = diskOff
	if d.lock != nil {
		d.lock.Close()
		d.lock = nil
	}
}
