package admission

import (
	"context"
)

// Slots bounds how many of one kind of work run at once: work that runs
// before there is a price, or that needs none. It takes no permit of a lane.
type Slots struct {
	kind    string
	free    chan struct{}
	metrics *metrics
}

func newSlots(kind string, n int, m *metrics) *Slots {
	return &Slots{kind: kind, free: make(chan struct{}, n), metrics: m}
}

// Acquire waits for a slot until ctx ends, and then returns its cause.
// release must be called once.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	if release, ok := s.TryAcquire(); ok {
		return release, nil
	}
	select {
	case s.free <- struct{}{}:
		return s.release, nil
	case <-ctx.Done():
		s.metrics.slotsRefused.WithLabelValues(s.kind).Inc()
		return nil, context.Cause(ctx)
	}
}

// TryAcquire takes a slot if one is free now.
func (s *Slots) TryAcquire() (release func(), ok bool) {
	select {
	case s.free <- struct{}{}:
		return s.release, true
	default:
		return nil, false
	}
}

func (s *Slots) release() { <-s.free }

// InUse returns the number of slots taken and of slots in all.
func (s *Slots) InUse() (used, limit int) { return len(s.free), cap(s.free) }
