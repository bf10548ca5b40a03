package admission

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Controller admits work. It is safe for use by several goroutines.
type Controller struct {
	cfg     Config
	facts   Facts
	log     *slog.Logger
	threads threads
	books   Books
	keyer   *Keyer
	apiKeys *APIKeys
	metrics *metrics
	secret  uint64 // makes the ids of running decodes opaque

	// Egress and Ingest bound bytes outside decodes: encoded answers that are
	// being written, and fetched sources and request bodies.
	Egress, Ingest *Ledger

	pressure *pressure
	stop     context.CancelFunc
	stopped  chan struct{}

	mu         sync.Mutex
	sched      *scheduler
	shadow     *shadow // basic mode: what advanced would do
	quotas     *quotas
	adaptive   *adaptive
	service    map[Lane]*average
	served     *quantile
	running    leaseList
	ring       ring
	shed       map[Code]uint64
	fanout     fanoutCounts
	would      wouldCounts
	idleGrowth int64
	idleSeen   []int64 // samples of the idle process in a row
	warned     bool
	warnedAt   time.Duration
	lastID     uint64
	draining   bool
	idle       chan struct{} // closed when nothing runs, while someone waits for that
}

// New returns a controller, or the error that must stop the start: settings
// out of range, files that do not parse, books that do not close. reg may be
// nil. Close ends its goroutine.
func New(cfg Config, facts Facts, log *slog.Logger, reg prometheus.Registerer) (*Controller, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	facts = facts.withDefaults()
	keyer, err := NewKeyer(cfg.TrustedProxies, cfg.ClientPrefixV4, cfg.ClientPrefixV6)
	if err != nil {
		return nil, fmt.Errorf("trusted-proxies: %w", err)
	}
	c := &Controller{
		cfg: cfg, facts: facts, log: log, keyer: keyer, secret: newSecret(),
		shed:    make(map[Code]uint64),
		service: map[Lane]*average{LaneTile: {}, LaneFull: {}},
		served:  &quantile{},
	}
	file, err := c.loadFiles()
	if err != nil {
		return nil, err
	}
	if err := c.derive(file); err != nil {
		return nil, err
	}
	c.books.log(log)
	c.build(file, reg)
	if !facts.Manual {
		c.start()
	}
	return c, nil
}

// loadFiles reads the API keys and the quota file.
func (c *Controller) loadFiles() (*quotaFile, error) {
	c.apiKeys = &APIKeys{}
	if c.cfg.APIKeysFile != "" {
		keys, err := LoadAPIKeys(c.cfg.APIKeysFile)
		if err != nil {
			return nil, fmt.Errorf("api-keys-file: %w", err)
		}
		c.apiKeys = keys
	}
	if c.cfg.QuotaFile == "" {
		return nil, nil //nolint:nilnil // no file is not an error, and limits nothing
	}
	cpus := deriveThreads(&c.cfg, c.facts.CPUs, 0).total
	file, err := loadQuotaFile(c.cfg.QuotaFile, c.apiKeys.Names(), cpus)
	if err != nil {
		return nil, fmt.Errorf("admission-config: %w", err)
	}
	return file, nil
}

// derive decides threads and books.
func (c *Controller) derive(file *quotaFile) error {
	most := 0
	if file != nil {
		most = file.globalExecuting
	}
	c.threads = deriveThreads(&c.cfg, c.facts.CPUs, most)
	if c.threads.total == 1 {
		c.log.Warn("one thread is shared by tiles and fulls; a full decode then holds up every tile")
	}
	if c.cfg.AdaptiveMin > c.threads.total {
		return fmt.Errorf("adaptive-min: %d is above the %d threads", c.cfg.AdaptiveMin, c.threads.total)
	}
	size, source, err := envelope(c.cfg.MemoryLimit, *c.facts.Memory)
	if err != nil {
		return err
	}
	c.books, err = closeBooks(size, source, needs{
		idle: c.facts.IdleFloor + c.facts.OffDisk, goIdle: c.facts.GoIdle,
		scriptMemory: c.facts.ScriptMemory, hookMemory: c.facts.HookMemory, hookSlots: c.facts.HookSlots, threshold: c.cfg.Threshold,
		tileMin: c.threads.tileMin, fullMax: c.threads.fullMax, permits: c.threads.total,
		tilesMemoryRatio: c.cfg.TilesMemoryRatio,
		cache:            c.cfg.MemoryCacheBytes, egress: c.cfg.EgressBytes, ingest: c.cfg.IngestBytes,
	})
	return err
}

// build makes the parts.
func (c *Controller) build(file *quotaFile, reg prometheus.Registerer) {
	c.metrics = newMetrics(reg, c.cfg.Threshold)
	c.quotas = newQuotas(file, c.apiKeys.Names(), c.keyer)
	c.adaptive = newAdaptive(&c.cfg, c.threads)
	c.pressure = newPressure(&c.cfg, &c.facts, c.books, c.log, c.metrics)
	c.sched = newScheduler(c.capacityLocked(0), c.caps(file), c.cfg.Threshold)
	if c.cfg.Mode == ModeBasic {
		c.shadow = newShadow(c, c.advancedCapacityLocked(0), c.caps(file))
	}
	c.Egress = newLedger(c.books.Egress, CodeQueueHeldBytes, c.facts.Since)
	c.Ingest = newLedger(c.books.Ingest, CodeIngestExceedsBudget, c.facts.Since)
	c.Ingest.refused = c.countLedger
	if reg != nil {
		reg.MustRegister(&collector{c: c})
	}
}

func orCount(set, derived int) int {
	if set > 0 {
		return set
	}
	return derived
}

// caps bounds the queue of each lane.
func (c *Controller) caps(file *quotaFile) queueCaps {
	q := queueCaps{count: c.cfg.QueueMax, bytes: c.cfg.QueueMaxBytes, held: c.cfg.QueueHeldBytes}
	if q.bytes == 0 {
		q.bytes = mulCapped(max(c.books.FullMost, c.cfg.Threshold), 4)
	}
	q.active = q.count + c.threads.total
	if file != nil {
		q.active = min(q.active, file.globalActive)
	}
	if c.cfg.VirtualLanes && c.cfg.AdaptiveMode == AdaptiveEnforce {
		q.laneCount, q.laneBytes = c.laneCaps(q)
	}
	return q
}

// laneCaps bounds one key's share of a lane's queue.
func (c *Controller) laneCaps(q queueCaps) (count int, bytes int64) {
	count, bytes = orCount(c.cfg.LaneQueueMax, max(q.count/4, 1)), c.cfg.LaneQueueMaxBytes
	if bytes == 0 {
		bytes = q.bytes / 4
	}
	return count, bytes
}

// enforcing tells whether the full cap and the full budget refuse.
func (c *Controller) enforcing() bool { return c.cfg.Mode == ModeAdvanced }

// hardFullLocked is the full budget as the books have it, less what the idle
// process has grown by.
func (c *Controller) hardFullLocked() int64 {
	return max(c.books.FullBudget-c.idleGrowth, 0)
}

// advancedCapacityLocked is what may run at this moment in advanced mode.
func (c *Controller) advancedCapacityLocked(now time.Duration) capacity {
	full := c.hardFullLocked()
	if !c.pressure.healthy(now) {
		full -= int64(c.cfg.HeadroomRatio * float64(full))
	}
	limit := c.threads.total
	if c.cfg.AdaptiveMode == AdaptiveEnforce {
		limit = c.adaptive.value()
	}
	return capacity{
		permits: c.threads.total, tileMin: c.threads.tileMin, fullMax: c.threads.fullMax,
		scriptSlots: max(c.books.ScriptSlots, 1), limit: limit,
		tileBytes: c.books.TileReserve, fullBytes: full,
	}
}

// capacityLocked is what may run at this moment in the mode that is set.
func (c *Controller) capacityLocked(now time.Duration) capacity {
	limits := c.advancedCapacityLocked(now)
	if !c.enforcing() {
		limits.fullMax, limits.fullBytes = limits.permits, unlimited
	}
	return limits
}

// Books returns how the memory was shared out at start.
func (c *Controller) Books() Books { return c.books }

// Keyer returns the maker of fairness keys.
func (c *Controller) Keyer() *Keyer { return c.keyer }

// APIKeys returns the configured API keys, empty where there are none.
func (c *Controller) APIKeys() *APIKeys { return c.apiKeys }
