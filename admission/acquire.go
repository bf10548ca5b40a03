package admission

import (
	"context"
	"time"
)

// Acquire waits until the work that a describes may run, and returns its
// lease. The error is a *Rejection, or the context's cause where the context
// ended first. Where the context already runs under a lease the work is
// nested: it is charged to that lease, and refused instead of parked.
func (c *Controller) Acquire(ctx context.Context, a Ask) (*Lease, error) {
	if parent := FromContext(ctx); parent != nil && parent.c == c {
		return parent.acquireNested(ctx, a)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	left := c.timeLeft(ctx)
	l := &Lease{c: c, ask: a}
	now := c.facts.Since()
	c.mu.Lock()
	rejection := c.enterLocked(l, now, left)
	parked := l.ticket.state == ticketWaiting
	c.mu.Unlock()
	if rejection != nil {
		return nil, rejection
	}
	if !parked {
		return l, nil
	}
	return c.await(ctx, l)
}

// await waits for a parked ask to be settled.
func (c *Controller) await(ctx context.Context, l *Lease) (*Lease, error) {
	select {
	case <-l.done:
	case <-ctx.Done():
		now := c.facts.Since()
		c.mu.Lock()
		defer c.mu.Unlock()
		if l.ticket.state == ticketWaiting {
			c.leaveLocked(l, now)
		}
		c.releaseLocked(l, now) // where the grant came first
		if l.refused == nil {
			return nil, context.Cause(ctx)
		}
	}
	if l.refused != nil {
		return nil, l.refused
	}
	return l, nil
}

// leaveLocked takes a client that has gone out of the queue.
func (c *Controller) leaveLocked(l *Lease, now time.Duration) {
	c.settleLocked(l)
	if l.shade != nil {
		l.shade.left(now)
	}
	c.sched.leave(&l.ticket, now)
	c.metrics.requests.WithLabelValues(string(l.charge.Lane), string(CodeClientGone), string(CodeClientGone)).Inc()
	c.noteLocked(l, string(CodeClientGone), now-l.ticket.since)
}

// enterLocked grants, parks or refuses. left is the time until the request's
// deadline.
func (c *Controller) enterLocked(l *Lease, now, left time.Duration) *Rejection {
	c.classifyLocked(l)
	l.quota = c.quotas.of(&l.ask, now)
	switch code := c.neverLocked(l.charge.Lane, &l.ask, left); {
	case code == CodeExceedsBudget && !c.enforcing():
		c.metrics.memShadowTooLarge.Inc()
	case code != "":
		return c.rejectLocked(l, code, now)
	}
	if c.draining {
		return c.rejectLocked(l, CodeDraining, now)
	}
	severity, held := c.pressure.gate(now)
	if severity == SeverityCritical && (l.charge.Lane == LaneFull || held) {
		return c.rejectLocked(l, CodePressure, now)
	}
	if code, after := c.quotas.refusal(l.quota, now); code != "" {
		r := c.rejectLocked(l, code, now)
		r.RetryAfter = max(ceilSeconds(after), time.Second)
		return r
	}
	c.wouldLocked(l)
	if c.shadow != nil {
		c.shadow.arrived(l, now, c.waitFor(l, left, severity))
	}
	l.ticket.since = now
	if c.sched.tryGrant(&l.ticket, now) {
		l.grantedAt(now)
		return nil
	}
	return c.parkLocked(l, now, left, severity)
}

// parkLocked lets the ask wait, if there is time and room for that.
func (c *Controller) parkLocked(l *Lease, now, left time.Duration, severity Severity) *Rejection {
	wait := c.waitFor(l, left, severity)
	if wait <= 0 {
		return c.rejectLocked(l, c.noWaitCode(l), now)
	}
	if !c.quotas.mayPark(l.quota) {
		r := c.rejectLocked(l, CodeClientPending, now)
		r.RetryAfter = time.Second
		return r
	}
	l.done = make(chan struct{})
	l.deadline = now + wait
	l.timer = time.AfterFunc(wait, l.expire)
	c.quotas.parked(l.quota)
	if code := c.sched.park(&l.ticket, now); code != "" {
		c.settleLocked(l)
		return c.rejectLocked(l, code, now)
	}
	return nil
}

// waitFor is how long an ask may wait: no longer than the lane's time-out,
// than the last moment to start in, and than pressure allows.
func (c *Controller) waitFor(l *Lease, left time.Duration, severity Severity) time.Duration {
	wait := c.cfg.QueueTimeoutTile
	if l.charge.Lane == LaneFull {
		wait = c.cfg.QueueTimeoutFull
	}
	wait = min(wait, left-seconds(l.ask.Seconds))
	cut := severity.longestWait()
	l.cut = cut < wait
	return min(wait, cut)
}

// noWaitCode says why an ask that may not wait could not run.
func (c *Controller) noWaitCode(l *Lease) Code {
	switch {
	case l.cut:
		return CodePressure
	case c.quotas.file != nil && l.ticket.blockedBy == shortOfPermits:
		return CodeGlobalExecuting
	default:
		return CodeQueueTimeout
	}
}

// seconds converts, saturating at a day.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0), day.Seconds()) * float64(time.Second))
}
