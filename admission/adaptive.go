package admission

import (
	"math"
	"slices"
	"time"
)

const (
	// A window with fewer decodes than this says nothing about their speed.
	windowSamples = 5
	// A median this much slower than the baseline lowers the limit; one
	// below calm, with the limit well used, raises it.
	slowGradient = 1.5
	calmGradient = 1.25
	wellUsed     = 0.7
	littleUsed   = 0.3
	// The baseline follows faster decodes at once, and slower ones only
	// while little runs; else it would drift up with the load.
	baselineDown = 0.3
	baselineUp   = 0.1
	// After so many windows at the least limit the baseline is measured anew.
	windowsAtLeast = 5
	// nominalRate prices decodes whose time was not estimated, in bytes of
	// peak per second. Only its being constant matters.
	nominalRate = 200e6
)

// adaptive follows how long decodes take, relative to their price, and says
// how many of them should run at once. Its owner locks.
type adaptive struct {
	on         bool
	least      float64
	most       float64
	limit      float64
	baseline   float64
	gradient   float64
	atLeast    int
	samples    []float64
	windowFrom time.Duration
	changed    time.Duration
	running    int
	busy       time.Duration // running permits times time, in this window
	used       float64       // utilization of the last window
}

func newAdaptive(cfg *Config, t threads) *adaptive {
	least := t.tileMin
	if cfg.AdaptiveMin > 0 {
		least = cfg.AdaptiveMin
	}
	return &adaptive{
		on:    cfg.AdaptiveMode != AdaptiveOff,
		least: float64(max(least, 1)), most: float64(t.total), limit: float64(t.total), gradient: 1,
	}
}

// value is the limit in permits.
func (a *adaptive) value() int { return int(math.Floor(a.limit + 1e-9)) }

// permits notes how many permits are in use from now on.
func (a *adaptive) permits(now time.Duration, n int) {
	a.busy += time.Duration(a.running) * (now - a.changed)
	a.changed, a.running = now, n
}

// observe takes the time of one decode that ended well.
func (a *adaptive) observe(took time.Duration, estimated float64, peak int64) {
	const most = 4096
	if !a.on || len(a.samples) >= most {
		return
	}
	if estimated <= 0 {
		estimated = max(float64(peak)/nominalRate, 1e-3)
	}
	a.samples = append(a.samples, took.Seconds()/estimated)
}

// tick closes a window and moves the limit.
func (a *adaptive) tick(now time.Duration, running int, severity Severity) {
	a.permits(now, running)
	span := now - a.windowFrom
	if !a.on || span <= 0 {
		return
	}
	a.used = a.busy.Seconds() / (span.Seconds() * a.limit)
	median, known := a.median()
	switch severity {
	case SeverityCritical:
		a.limit *= 0.5
	case SeverityHigh:
		a.limit *= 0.9
	default:
		a.steer(median, known)
	}
	a.limit = min(max(a.limit, a.least), a.most)
	if a.limit > a.least {
		a.atLeast = 0
	} else if a.atLeast++; a.atLeast >= windowsAtLeast && known {
		a.baseline, a.atLeast = median, 0
	}
	a.samples, a.busy, a.windowFrom = a.samples[:0], 0, now
}

func (a *adaptive) median() (float64, bool) {
	if len(a.samples) < windowSamples {
		return 0, false
	}
	slices.Sort(a.samples)
	return a.samples[len(a.samples)/2], true
}

// steer moves the limit by what the window's decodes took.
func (a *adaptive) steer(median float64, known bool) {
	if !known {
		// Nobody can say that the server is slow while it does little.
		if a.used < littleUsed {
			a.limit++
		}
		return
	}
	if a.baseline == 0 {
		a.baseline = median
	}
	a.gradient = median / a.baseline
	switch {
	case a.gradient >= slowGradient:
		a.limit *= 0.9
	case a.gradient < calmGradient && a.used >= wellUsed:
		a.limit++
	}
	switch {
	case median < a.baseline:
		a.baseline += baselineDown * (median - a.baseline)
	case a.used < littleUsed:
		a.baseline += baselineUp * (median - a.baseline)
	}
}
