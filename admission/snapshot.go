package admission

import (
	"cmp"
	"slices"
	"time"
)

// SnapshotVersion is the version of the snapshot's form.
const SnapshotVersion = 1

// mostKeys bounds the lists of keys in a snapshot, longest first.
const mostKeys = 50

// Snapshot is a consistent copy of the controller's state: its sums hold.
// The JSON names are stable.
type Snapshot struct {
	Version    int             `json:"version"`
	Mode       string          `json:"mode"`
	Draining   bool            `json:"draining"`
	Budget     BudgetState     `json:"budget"`
	Books      Books           `json:"books"`
	Memory     MemoryState     `json:"memory"`
	Threads    ThreadsState    `json:"threads"`
	Queue      QueueState      `json:"queue"`
	ShedTotal  uint64          `json:"shed_total"`
	ShedByCode map[Code]uint64 `json:"shed_by_code"`
	// What advanced mode would have refused, counted in basic mode.
	FullShadowRejectTotal uint64        `json:"full_shadow_rejected_total"`
	TileShadowRejectTotal uint64        `json:"tile_shadow_rejected_total"`
	Pressure              PressureState `json:"pressure"`
	Quota                 QuotaState    `json:"quota"`
	Adaptive              AdaptiveState `json:"adaptive"`
	Fanout                FanoutState   `json:"fanout"`
}

// BudgetState is the bytes of fulls, and of the ledgers beside them.
type BudgetState struct {
	LimitBytes         int64          `json:"limit_bytes"`
	InUseBytes         int64          `json:"in_use_bytes"`
	Source             EnvelopeSource `json:"source"`
	HeadroomBytes      int64          `json:"headroom_bytes"`
	HeadroomInUseBytes int64          `json:"headroom_in_use_bytes"`
	TileLimitBytes     int64          `json:"tile_limit_bytes"`
	TileInUseBytes     int64          `json:"tile_in_use_bytes"`
	IngestLimitBytes   int64          `json:"ingest_limit_bytes"`
	IngestInUseBytes   int64          `json:"ingest_in_use_bytes"`
	EgressLimitBytes   int64          `json:"egress_limit_bytes"`
	EgressInUseBytes   int64          `json:"egress_in_use_bytes"`
}

// ThreadsState is the permits.
type ThreadsState struct {
	Total      int  `json:"total"`
	InUse      int  `json:"in_use"`
	TileMin    int  `json:"tile_min"`
	FullMax    int  `json:"full_max"`
	FullInUse  int  `json:"full_in_use"`
	FullCapSet bool `json:"full_cap_set"`
}

// QueueState is who waits.
type QueueState struct {
	TileWaiting int        `json:"tile_waiting"`
	FullWaiting int        `json:"full_waiting"`
	Bytes       int64      `json:"bytes"`
	HeldBytes   int64      `json:"held_bytes"`
	Max         int        `json:"max"`
	KeysWaiting int        `json:"keys_waiting"`
	Keys        []KeyState `json:"keys"`
}

// KeyState is one client's share of the queue.
type KeyState struct {
	Key     string `json:"key"`
	Waiting int    `json:"waiting"`
	Bytes   int64  `json:"bytes"`
}

// PressureState is the memory pressure. Signals that cannot be read are
// absent.
type PressureState struct {
	Severity     string             `json:"severity"`
	Reason       string             `json:"reason"`
	SinceMS      int64              `json:"since_ms"`
	SampledAgeMS int64              `json:"sampled_age_ms"`
	Stale        bool               `json:"stale"`
	Signals      map[string]float64 `json:"signals"`
}

// QuotaState is what the clients have used. Source is "file" where a quota
// file is in force.
type QuotaState struct {
	Source  string        `json:"source"`
	Clients []ClientState `json:"clients"`
}

// ClientState is one client's quota in use.
type ClientState struct {
	Key        string `json:"key"`
	Configured bool   `json:"configured"`
	WindowUsed int    `json:"window_used"`
	Active     int    `json:"active"`
	Pending    int    `json:"pending"`
}

// AdaptiveState is the adaptive limit and the virtual lanes.
type AdaptiveState struct {
	Mode         string     `json:"mode"`
	Limit        int        `json:"limit"`
	Min          int        `json:"min"`
	Max          int        `json:"max"`
	Utilization  float64    `json:"utilization"`
	Gradient     float64    `json:"gradient"`
	WouldAdmit   uint64     `json:"would_admit"`
	WouldQueue   uint64     `json:"would_queue"`
	WouldReject  uint64     `json:"would_reject"`
	VirtualLanes bool       `json:"virtual_lanes"`
	LaneCount    int        `json:"lane_count"`
	LaneWaiting  int        `json:"lane_waiting"`
	LaneBytes    int64      `json:"lane_bytes"`
	Lanes        []KeyState `json:"lanes"`
}

// FanoutState is the totals of fan-out work.
type FanoutState struct {
	Admitted uint64 `json:"admitted"`
	Skipped  uint64 `json:"skipped"`
	Errors   uint64 `json:"errors"`
}

// Snapshot copies the state under the lock.
func (c *Controller) Snapshot() Snapshot {
	memory := c.outsideMemory()
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shadow != nil {
		c.shadow.advance(now)
	}
	c.chargeLocked(&memory)
	queue := c.queueStateLocked()
	s := Snapshot{
		Version: SnapshotVersion, Mode: c.cfg.Mode, Draining: c.draining, Books: c.books, Memory: memory,
		Budget: c.budgetStateLocked(),
		Threads: ThreadsState{
			Total: c.threads.total, InUse: c.sched.use.permits(), TileMin: c.threads.tileMin,
			FullMax: c.threads.fullMax, FullInUse: c.sched.use.fulls, FullCapSet: c.threads.fullCapSet,
		},
		Queue:      queue,
		ShedByCode: make(map[Code]uint64, len(c.shed)),
		Pressure:   c.pressureState(now),
		Quota:      c.quotaStateLocked(now),
		Adaptive:   c.adaptiveStateLocked(queue),
		Fanout:     FanoutState{Admitted: c.fanout.admitted, Skipped: c.fanout.skipped, Errors: c.fanout.errors},
	}
	if c.shadow != nil {
		s.FullShadowRejectTotal, s.TileShadowRejectTotal = c.shadow.refused[LaneFull], c.shadow.refused[LaneTile]
	}
	for code, n := range c.shed {
		s.ShedByCode[code] = n
		s.ShedTotal += n
	}
	return s
}

func (c *Controller) budgetStateLocked() BudgetState {
	hard := c.hardFullLocked()
	b := BudgetState{
		LimitBytes: hard, InUseBytes: c.sched.use.fullBytes, Source: c.books.Source,
		HeadroomBytes: int64(c.cfg.HeadroomRatio * float64(hard)), HeadroomInUseBytes: c.headroomInUseLocked(),
		TileLimitBytes: c.books.TileReserve, TileInUseBytes: c.sched.use.tileBytes,
	}
	b.IngestInUseBytes, b.IngestLimitBytes = c.Ingest.InUse()
	b.EgressInUseBytes, b.EgressLimitBytes = c.Egress.InUse()
	return b
}

func (c *Controller) queueStateLocked() QueueState {
	q := QueueState{Max: c.cfg.QueueMax, TileWaiting: c.sched.lines[lineTile].count}
	q.FullWaiting = c.sched.lines[lineFull].count + c.sched.lines[lineScript].count
	byKey := make(map[string]KeyState)
	for _, l := range c.sched.lines {
		q.Bytes += l.bytes
		q.HeldBytes += l.held
		for key, f := range l.flows {
			k := byKey[key]
			byKey[key] = KeyState{Key: key, Waiting: k.Waiting + f.count, Bytes: k.Bytes + f.bytes}
		}
	}
	q.KeysWaiting = len(byKey)
	q.Keys = make([]KeyState, 0, len(byKey))
	for _, k := range byKey {
		q.Keys = append(q.Keys, k)
	}
	slices.SortFunc(q.Keys, func(a, b KeyState) int {
		return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Key, b.Key))
	})
	q.Keys = q.Keys[:min(len(q.Keys), mostKeys)]
	return q
}

func (c *Controller) pressureState(now time.Duration) PressureState {
	p := c.pressure.snapshot(now)
	s := PressureState{
		Severity: p.severity.String(), Reason: p.reason, SinceMS: p.lasted.Milliseconds(),
		SampledAgeMS: p.age.Milliseconds(), Stale: p.stale, Signals: make(map[string]float64, len(p.signals)),
	}
	for _, sig := range p.signals {
		s.Signals[sig.name] = sig.value
	}
	return s
}

func (c *Controller) quotaStateLocked(now time.Duration) QuotaState {
	s := QuotaState{Source: "default", Clients: []ClientState{}}
	if c.quotas.file == nil {
		return s
	}
	s.Source = "file"
	add := func(u *quota) {
		s.Clients = append(s.Clients, ClientState{
			Key: u.key, Configured: u.configured, WindowUsed: u.window.used(now),
			Active: u.waiting + u.executing, Pending: u.waiting,
		})
	}
	for _, u := range c.quotas.byName {
		add(u)
	}
	for _, u := range c.quotas.byPrefix {
		add(u)
	}
	if u := c.quotas.overflow; u != nil && (u.waiting+u.executing > 0 || u.window.used(now) > 0) {
		add(u)
	}
	slices.SortFunc(s.Clients, func(a, b ClientState) int {
		return cmp.Or(cmp.Compare(b.Active, a.Active), cmp.Compare(b.WindowUsed, a.WindowUsed), cmp.Compare(a.Key, b.Key))
	})
	s.Clients = s.Clients[:min(len(s.Clients), mostKeys)]
	return s
}

func (c *Controller) adaptiveStateLocked(queue QueueState) AdaptiveState {
	s := AdaptiveState{
		Mode: c.cfg.AdaptiveMode, Limit: c.adaptive.value(), Min: int(c.adaptive.least), Max: int(c.adaptive.most),
		Utilization: c.adaptive.used, Gradient: c.adaptive.gradient,
		WouldAdmit: c.would.admit, WouldQueue: c.would.queue, WouldReject: c.would.reject,
		VirtualLanes: c.cfg.VirtualLanes, Lanes: []KeyState{},
	}
	if c.cfg.VirtualLanes {
		s.LaneCount, s.Lanes = queue.KeysWaiting, queue.Keys
		s.LaneWaiting, s.LaneBytes = queue.TileWaiting+queue.FullWaiting, queue.Bytes
	}
	return s
}
