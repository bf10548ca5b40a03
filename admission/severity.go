package admission

import (
	"math"
	"time"
)

// Severity is how short of memory the process is.
type Severity int

// The severities.
const (
	SeverityNormal Severity = iota
	SeverityHigh
	SeverityCritical
)

// highWait is the longest wait at high pressure: what is queued is memory too.
const highWait = 250 * time.Millisecond

// String returns the severity's name in the snapshot and in metrics.
func (s Severity) String() string {
	switch s {
	case SeverityHigh:
		return "high"
	case SeverityCritical:
		return "critical"
	default:
		return "normal"
	}
}

// longestWait is the bound that the severity puts on waiting.
func (s Severity) longestWait() time.Duration {
	switch s {
	case SeverityHigh:
		return highWait
	case SeverityCritical:
		return 0
	default:
		return math.MaxInt64
	}
}

// The signals that pressure is read from. A signal that cannot be read is
// absent.
const (
	signalCgroup   = "cgroup_ratio"  // working set of the cgroup / its limit
	signalHigh     = "cgroup_high"   // everything charged / memory.high, where the kernel throttles
	signalPSISome  = "psi_some"      // percent of time that some task stalled on memory
	signalPSIFull  = "psi_full"      // percent of time that all tasks did
	signalRSS      = "rss_ratio"     // resident memory / envelope, where the envelope is no cgroup limit
	signalVips     = "vips_ratio"    // libvips' tracked memory / envelope
	signalGoHeap   = "go_heap_ratio" // Go heap / GOMEMLIMIT
	reasonOOM      = "oom_event"
	reasonNone     = "none"
	reasonRecovery = "recovered"
)

// signal is one value of a sample.
type signal struct {
	name  string
	value float64
}

// thresholds are where a signal turns high and critical, and below what it
// has recovered.
type thresholds struct{ recovery, high, critical float64 }

func (t thresholds) severity(v float64) Severity {
	switch {
	case v >= t.critical:
		return SeverityCritical
	case v >= t.high:
		return SeverityHigh
	default:
		return SeverityNormal
	}
}
