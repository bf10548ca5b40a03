package admission

import (
	"fmt"
	"log/slog"
	"math"

	"example.com/iiifd/option"
)

const (
	// usableShare of the envelope may be booked. The rest is the allocator's,
	// the kernel's and the page cache's; pressure turns high at 0.85.
	usableShare = 0.80

	minEgress = 4 << 20
	minIngest = 8 << 20
	maxIngest = 2 << 30
	// maxDerived bounds the egress ledger and the memory cache where the
	// operator set neither, and what GoMemLimit leaves for connections.
	maxDerived = 256 << 20
)

// Books is how the envelope is shared out, in bytes. Usable is never less
// than the sum of the lines below it.
type Books struct {
	Envelope int64          `json:"envelope_bytes"`
	Source   EnvelopeSource `json:"source"`
	Usable   int64          `json:"usable_bytes"`

	IdleFloor   int64 `json:"idle_floor_bytes"`
	MemoryCache int64 `json:"memory_cache_bytes"`
	Egress      int64 `json:"egress_bytes"`
	Ingest      int64 `json:"ingest_bytes"`
	// Scripts is ScriptSlots times one script's memory.
	Scripts     int64 `json:"scripts_bytes"`
	ScriptSlots int   `json:"script_slots"`
	// Hooks is HookSlots times one hook's memory.
	Hooks       int64 `json:"hooks_bytes"`
	HookSlots   int   `json:"hook_slots"`
	TileReserve int64 `json:"tile_reserve_bytes"`
	FullBudget  int64 `json:"full_budget_bytes"`

	// FullMost is the upper bound of the full budget: the envelope without
	// the tiles' share.
	FullMost int64 `json:"full_most_bytes"`
	// GoMemLimit is what GOMEMLIMIT should be: libvips allocates off the Go
	// heap and is not counted.
	GoMemLimit int64 `json:"go_memory_limit_bytes"`
}

// needs is what the books are made from, the envelope aside.
type needs struct {
	idle, goIdle, scriptMemory, hookMemory, threshold int64
	tileMin, fullMax, hookSlots                       int
	permits                                           int // all, of which tiles may take what fulls leave
	tilesMemoryRatio                                  float64
	// Set by the operator; 0 is derived. What was set does not shrink.
	cache, egress, ingest int64
}

// draft fills the lines as large as they would like to be.
func (n needs) draft(envelope int64) Books {
	b := Books{Envelope: envelope, Usable: int64(usableShare * float64(envelope)), IdleFloor: n.idle}
	b.FullMost = int64(float64(envelope) * (1 - n.tilesMemoryRatio))
	b.FullBudget = b.FullMost
	b.MemoryCache = orDerived(n.cache, min(envelope/32, maxDerived))
	b.Egress = orDerived(n.egress, max(min(envelope/16, maxDerived), minEgress))
	b.Ingest = orDerived(n.ingest, min(max(envelope/32, minIngest), maxIngest))
	if n.scriptMemory > 0 {
		b.ScriptSlots = n.fullMax
	}
	b.Scripts = int64(b.ScriptSlots) * n.scriptMemory
	if n.hookMemory > 0 {
		b.HookSlots = n.hookSlots
	}
	b.Hooks = int64(b.HookSlots) * n.hookMemory
	b.TileReserve = mulCapped(n.threshold, int64(max(n.permits, n.tileMin, 1)))
	return b
}

func orDerived(set, derived int64) int64 {
	if set > 0 {
		return set
	}
	return derived
}

func mulCapped(a, b int64) int64 {
	const most = 1 << 60
	if b > 0 && a > most/b {
		return most
	}
	return a * b
}

// over is what the lines take beyond what is usable.
func (b *Books) over() int64 {
	return b.IdleFloor + b.MemoryCache + b.Egress + b.Ingest + b.Scripts + b.Hooks + b.TileReserve + b.FullBudget - b.Usable
}

// close shrinks the lines until their sum is usable, in an order that keeps
// what users feel most for longest. It reports whether that was possible.
// docs/adr explains why the full budget gives way first, down to half.
func (n needs) close(envelope int64) (Books, bool) {
	b := n.draft(envelope)
	atLeast := func(line *int64, floor int64) {
		if excess := b.over(); excess > 0 && *line > floor {
			*line = max(floor, *line-excess)
		}
	}
	derived := func(line *int64, set, floor int64) {
		if set == 0 {
			atLeast(line, floor)
		}
	}
	atLeast(&b.FullBudget, envelope/2)
	atLeast(&b.TileReserve, mulCapped(n.threshold, int64(max(n.tileMin, 1))))
	derived(&b.MemoryCache, n.cache, 0)
	derived(&b.Egress, n.egress, minEgress)
	derived(&b.Ingest, n.ingest, minIngest)
	fewer := func(slots *int, line *int64, memory int64, least int) {
		for b.over() > 0 && *slots > least {
			*slots--
			*line = int64(*slots) * memory
		}
	}
	// Two hooks at once keep a processor busy while one of them waits.
	fewer(&b.HookSlots, &b.Hooks, n.hookMemory, 2)
	fewer(&b.ScriptSlots, &b.Scripts, n.scriptMemory, 1)
	atLeast(&b.TileReserve, max(n.threshold, envelope/8))
	atLeast(&b.FullBudget, min(n.threshold, b.FullMost))
	atLeast(&b.TileReserve, n.threshold)
	fewer(&b.HookSlots, &b.Hooks, n.hookMemory, 1)
	// Connections and their buffers are in no line: they have half of what is
	// not booked. Without it the collector would run all the time, at a limit
	// that a few hundred clients reach in a small container.
	b.GoMemLimit = (n.goIdle+b.MemoryCache+b.Egress+b.Ingest+b.Scripts)/4*5 + min((envelope-b.Usable)/2, maxDerived)
	return b, b.over() <= 0
}

// closeBooks closes the books on the envelope. Where that cannot be done the
// error names the least limit that works.
func closeBooks(envelope int64, source EnvelopeSource, n needs) (Books, error) {
	b, ok := n.close(envelope)
	b.Source = source
	if ok {
		return b, nil
	}
	const mib = 1 << 20
	low, high := envelope/mib, int64(1)
	for high <= low {
		high *= 2
	}
	for _, ok := n.close(high * mib); !ok && high < math.MaxInt64/mib/4; _, ok = n.close(high * mib) {
		high *= 2
	}
	for low+1 < high {
		if mid := (low + high) / 2; n.fitsIn(mid * mib) {
			high = mid
		} else {
			low = mid
		}
	}
	return Books{}, fmt.Errorf("memory-limit: %s (%s) is too little for what is configured; the least that works is %dMiB",
		option.FormatSize(envelope), source.words(), high)
}

func (n needs) fitsIn(envelope int64) bool {
	_, ok := n.close(envelope)
	return ok
}

// log writes the books, all in bytes.
func (b *Books) log(to *slog.Logger) {
	to.Info("memory booked", "envelope", b.Envelope, "source", string(b.Source),
		"idle_floor", b.IdleFloor, "memory_cache", b.MemoryCache, "egress", b.Egress, "ingest", b.Ingest, "scripts", b.Scripts, "hooks", b.Hooks,
		"tile_reserve", b.TileReserve, "full_budget", b.FullBudget, "left_over", -b.over())
}
