package admission

import (
	"time"
)

// grantedAt makes the lease run. The controller's lock is held.
func (l *Lease) grantedAt(now time.Duration) {
	c := l.c
	parked := l.done != nil
	c.settleLocked(l)
	l.charge.Wait = now - l.ticket.since
	l.charge.Headroom = l.charge.Lane == LaneFull && c.headroomInUseLocked() > 0
	c.lastID++
	l.id, l.started = c.lastID, c.facts.Wall()
	c.running.add(l)
	c.quotas.granted(l.quota, now)
	if l.quota != nil {
		c.metrics.quota.WithLabelValues(resultAdmitted, codeNone).Inc()
	}
	c.adaptive.permits(now, c.sched.use.permits())
	if !l.side {
		c.metrics.admitted[l.charge.Lane].Inc()
		c.metrics.wait[l.charge.Lane].Observe(l.charge.Wait.Seconds())
	}
	if l.charge.Lane == LaneFull {
		c.metrics.memAcquired.Inc()
		c.countNearLimitLocked(LaneFull)
	}
	if l.shade != nil {
		l.shade.started(now)
	}
	c.noteLocked(l, resultAdmitted, l.charge.Wait)
	if parked {
		close(l.done)
	}
}

// refusedAt ends the wait of a parked ask. The controller's lock is held.
func (l *Lease) refusedAt(now time.Duration, code Code) {
	l.c.settleLocked(l)
	l.refused = l.c.rejectLocked(l, code, now)
	close(l.done)
}

// expire ends the wait when its time is over.
func (l *Lease) expire() {
	c := l.c
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.ticket.state != ticketWaiting {
		return
	}
	code := CodeQueueTimeout
	if l.cut {
		code = CodePressure
	}
	c.sched.refuse(&l.ticket, now, code)
}

// settleLocked ends a wait: its timer and its hold on the quota.
func (c *Controller) settleLocked(l *Lease) {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
		c.quotas.unparked(l.quota)
	}
}

// rejectLocked counts a refusal and describes it.
func (c *Controller) rejectLocked(l *Lease, code Code, now time.Duration) *Rejection {
	lane := l.charge.Lane
	waited := time.Duration(0)
	if l.done != nil {
		waited = now - l.ticket.since
	}
	r := &Rejection{
		Code: code, Lane: lane, URL: l.charge.URL, Engine: l.charge.Engine,
		Bytes: l.charge.Bytes, Wait: waited,
		RetryAfter: c.retryAfterLocked(code, lane, waited),
	}
	c.shed[code]++
	c.metrics.rejected(lane, code)
	switch {
	case code == CodeExceedsBudget:
		r.Limit = c.hardFullLocked()
		c.metrics.memTooLarge.Inc()
	case code.Kind() == KindQuota:
		c.metrics.quota.WithLabelValues(resultRefused, string(code)).Inc()
	case lane == LaneFull && l.ticket.blockedBy == shortOfBytes:
		c.metrics.memRejected.Inc()
	}
	c.noteLocked(l, string(code), waited)
	return r
}

// noteLocked puts a decision into the ring.
func (c *Controller) noteLocked(l *Lease, verdict string, waited time.Duration) {
	at := l.started // one reading of the clock serves a grant
	if at.IsZero() || verdict != resultAdmitted {
		at = c.facts.Wall()
	}
	c.ring.add(Decision{
		Time: at, Lane: l.charge.Lane, URL: l.charge.URL, Engine: l.charge.Engine,
		Bytes: l.charge.Bytes, WaitSeconds: waited.Seconds(), Verdict: verdict, Key: l.ask.Key, Label: l.ask.Label,
	})
}

// headroomInUseLocked is what fulls have taken of the healthy headroom.
func (c *Controller) headroomInUseLocked() int64 {
	hard := c.hardFullLocked()
	base := hard - int64(c.cfg.HeadroomRatio*float64(hard))
	return min(max(c.sched.use.fullBytes-base, 0), hard-base)
}

// countNearLimitLocked counts a decision that left the full budget nearly
// used up.
func (c *Controller) countNearLimitLocked(lane Lane) {
	if lane == LaneFull && float64(c.sched.use.fullBytes) > 0.8*float64(c.hardFullLocked()) {
		c.metrics.memNearLimit.Inc()
	}
}

// applyLocked puts changed limits into force and serves who fits now. What
// can never fit again is refused.
func (c *Controller) applyLocked(now time.Duration) {
	c.sched.cap = c.capacityLocked(now)
	if c.shadow != nil {
		c.shadow.apply(c.advancedCapacityLocked(now), now)
	}
	if c.enforcing() {
		c.sched.refuseLarger(lineFull, c.hardFullLocked(), now)
	}
	c.sched.dispatch(now)
}
