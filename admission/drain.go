package admission

import (
	"context"
	"time"
)

// Drain refuses everything that waits and everything that comes from now on.
// What runs may end.
func (c *Controller) Drain() {
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return
	}
	c.draining = true
	for id := range lineCount {
		c.sched.refuseAll(id, now, CodeDraining)
	}
	c.log.Info("admission drains", "running", c.running.count)
}

// Draining tells whether Drain was called.
func (c *Controller) Draining() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.draining
}

// Idle waits until nothing runs, or until ctx ends, and then returns its
// cause.
func (c *Controller) Idle(ctx context.Context) error {
	c.mu.Lock()
	if c.running.count == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// idleLocked wakes who waits in Idle.
func (c *Controller) idleLocked() {
	if c.running.count == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Gate refuses what need not even be read: at critical pressure or while
// draining. It returns nil where a request of the lane may go on.
func (c *Controller) Gate(lane Lane) *Rejection {
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	severity, oom := c.pressure.gate(now)
	l := &Lease{c: c, charge: Charge{Lane: lane}}
	switch {
	case c.draining:
		return c.rejectLocked(l, CodeDraining, now)
	case severity == SeverityCritical && (lane == LaneFull || oom):
		return c.rejectLocked(l, CodePressure, now)
	default:
		return nil
	}
}

// PressureSince returns the severity and for how long it has lasted.
func (c *Controller) PressureSince() (Severity, time.Duration) {
	s := c.pressure.snapshot(c.facts.Since())
	return s.severity, s.lasted
}

// Replayed counts an answer that needed no permit: ReplayCache,
// ReplayNotModified or ReplayJoined.
func (c *Controller) Replayed(kind string) {
	switch kind {
	case ReplayCache, ReplayNotModified, ReplayJoined:
	default:
		kind = labelOther
	}
	c.metrics.replayed.WithLabelValues(kind).Inc()
}
