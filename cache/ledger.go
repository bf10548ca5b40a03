package cache

import "sync/atomic"

// Ledger books bytes of memory that answers occupy between the encoder and
// the client. Its methods may be called from several goroutines at once.
type Ledger interface {
	// Reserve books n bytes, or returns false and books nothing. It never
	// waits.
	Reserve(n int64) bool
	// Release returns n bytes of earlier reservations.
	Release(n int64)
}

// NewLedger returns a Ledger that books at most limit bytes.
func NewLedger(limit int64) *FixedLedger { return &FixedLedger{limit: limit} }

// FixedLedger is a Ledger with a fixed limit.
type FixedLedger struct {
	limit int64
	used  atomic.Int64
}

// Reserve implements Ledger.
func (l *FixedLedger) Reserve(n int64) bool {
	if l.used.Add(n) <= l.limit {
		return true
	}
	l.used.Add(-n)
	return false
}

// Release implements Ledger.
func (l *FixedLedger) Release(n int64) { l.used.Add(-n) }

// Used returns the bytes booked now.
func (l *FixedLedger) Used() int64 { return l.used.Load() }
