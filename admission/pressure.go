package admission

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// samplesToTrip is how many samples in a row must reach a severity, and
	// how many must stay below critical to step down from it.
	samplesToTrip = 2
	// oomHold is how long pressure stays critical after an out-of-memory
	// event.
	oomHold = 5 * time.Second
	// staleAfter is the age from which a sample says nothing any more.
	staleAfter = 30 * time.Second
	// headroomBelow is the working set's share below which the healthy
	// headroom may be used.
	headroomBelow = 0.75
)

// pressure turns samples into a severity, with hysteresis: up after two
// samples, from critical down to high after two below it, to normal as soon
// as every signal is below its recovery threshold.
type pressure struct {
	ratio, psi thresholds
	sampler    *sampler
	log        *slog.Logger
	metrics    *metrics

	mu         sync.Mutex
	current    Severity
	reason     string
	since      time.Duration
	sampled    time.Duration
	signals    []signal
	highRun    int
	critRun    int
	calmRun    int
	oom        int64
	oomKnown   bool
	oomUntil   time.Duration
	everOOM    bool
	memoryUsed float64
}

func newPressure(cfg *Config, facts *Facts, books Books, log *slog.Logger, m *metrics) *pressure {
	now := facts.Since()
	return &pressure{
		ratio:   thresholds{cfg.PressureRecovery, cfg.PressureHigh, cfg.PressureCritical},
		psi:     thresholds{cfg.PressurePSIRecovery, cfg.PressurePSIHigh, cfg.PressurePSICritical},
		sampler: newSampler(cfg, facts, books), log: log, metrics: m,
		reason: reasonNone, since: now, sampled: now,
	}
}

// severity returns the severity at now; a sample that is too old says normal.
func (p *pressure) severity(now time.Duration) Severity {
	s, _ := p.gate(now)
	return s
}

// gate returns the severity, and whether it is held because of an
// out-of-memory event, when even tiles are refused.
func (p *pressure) gate(now time.Duration) (s Severity, oom bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now-p.sampled > staleAfter {
		return SeverityNormal, false
	}
	return p.current, p.everOOM && now < p.oomUntil
}

// healthy tells whether the headroom may be used.
func (p *pressure) healthy(now time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now-p.sampled > staleAfter {
		return true
	}
	return p.current == SeverityNormal && p.memoryUsed < headroomBelow
}

// update takes a sample and reports whether the severity changed. A sample
// in which nothing could be read is none: what was known ages.
func (p *pressure) update(now time.Duration, s sample) (severity Severity, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(s.signals) == 0 && !s.oomKnown {
		return p.current, false
	}
	p.sampled, p.signals, p.memoryUsed = now, s.signals, 0
	for _, sig := range s.signals {
		if sig.name == signalCgroup || sig.name == signalRSS {
			p.memoryUsed = max(p.memoryUsed, sig.value)
		}
	}
	next, reason := p.judge(now, s)
	if next == p.current {
		return next, false
	}
	if next == SeverityNormal {
		reason = reasonRecovery
	}
	p.log.Warn("memory pressure changed", slog.String("from", p.current.String()),
		slog.String("to", next.String()), slog.String("reason", reason), signalsAttr(s.signals))
	p.metrics.transitions.WithLabelValues(next.String(), reason).Inc()
	p.current, p.reason, p.since = next, reason, now
	if next == SeverityNormal {
		p.reason = reasonNone
	}
	return next, true
}

func signalsAttr(signals []signal) slog.Attr {
	attrs := make([]any, 0, len(signals))
	for _, s := range signals {
		attrs = append(attrs, slog.Float64(s.name, s.value))
	}
	return slog.Group("signals", attrs...)
}

// judge decides the next severity and its reason.
func (p *pressure) judge(now time.Duration, s sample) (Severity, string) {
	candidate, reason, recovered := p.worst(s.signals)
	p.count(candidate)
	if p.oomHappened(s) {
		p.everOOM, p.oomUntil = true, now+oomHold
		return SeverityCritical, reasonOOM
	}
	switch {
	case p.everOOM && now < p.oomUntil:
		return SeverityCritical, reasonOOM
	case p.critRun >= samplesToTrip:
		return SeverityCritical, reason
	case p.current == SeverityNormal && p.highRun >= samplesToTrip:
		return SeverityHigh, reason
	case p.current != SeverityNormal && recovered:
		return SeverityNormal, reason
	case p.current == SeverityCritical && p.calmRun >= samplesToTrip:
		if candidate == SeverityNormal {
			reason = p.reason
		}
		return SeverityHigh, reason
	default:
		return p.current, p.reason
	}
}

// worst returns the highest severity of the signals, the first signal that
// has it, and whether all of them are below recovery.
func (p *pressure) worst(signals []signal) (s Severity, reason string, recovered bool) {
	reason, recovered = reasonNone, true
	for _, sig := range signals {
		t := p.ratio
		if sig.name == signalPSISome || sig.name == signalPSIFull {
			t = p.psi
		}
		if v := t.severity(sig.value); v > s {
			s, reason = v, sig.name
		}
		recovered = recovered && sig.value < t.recovery
	}
	return s, reason, recovered
}

// count counts the samples in a row at each severity, whatever their reason.
func (p *pressure) count(candidate Severity) {
	run := func(n *int, on bool) {
		if *n++; !on {
			*n = 0
		}
	}
	run(&p.highRun, candidate >= SeverityHigh)
	run(&p.critRun, candidate == SeverityCritical)
	run(&p.calmRun, candidate < SeverityCritical)
}

// oomHappened tells whether the kernel's counter has grown. The first sample
// sets the baseline, and a counter that falls was reset.
func (p *pressure) oomHappened(s sample) bool {
	if !s.oomKnown {
		return false
	}
	grown := p.oomKnown && s.oom > p.oom
	p.oom, p.oomKnown = s.oom, true
	return grown
}

// pressureCopy is a consistent copy of the tracker.
type pressureCopy struct {
	severity    Severity
	reason      string
	lasted, age time.Duration
	stale       bool
	signals     []signal
}

// snapshot copies the state. A stale sample says normal, and gives no signals.
func (p *pressure) snapshot(now time.Duration) pressureCopy {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := pressureCopy{severity: p.current, reason: p.reason, lasted: now - p.since, age: now - p.sampled, signals: p.signals}
	if s.age > staleAfter {
		s.stale, s.severity, s.reason, s.signals = true, SeverityNormal, reasonNone, nil
	}
	return s
}
