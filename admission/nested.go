package admission

import (
	"context"
	"time"
)

// acquireNested charges an image inside running work to the lease it runs
// under. It never waits: the permit is the parent's, so parking could wait
// on itself. What has no room now is refused.
func (l *Lease) acquireNested(ctx context.Context, a Ask) (*Lease, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if l.parent != nil {
		l = l.parent
	}
	c := l.c
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	url, engine, lane := c.judge(&a)
	if a.Peak > 0 && a.Peak > c.hardFullLocked() && c.enforcing() {
		return nil, c.rejectLocked(&Lease{c: c, ask: a, charge: Charge{Lane: lane, URL: url, Engine: engine, Bytes: a.Peak}}, CodeExceedsBudget, now)
	}
	bytes := a.Peak
	if bytes == 0 {
		bytes = c.cfg.Threshold
	}
	if !c.growLocked(l, bytes, now) {
		return nil, &Rejection{
			Code: CodeFanoutExhausted, Lane: l.charge.Lane, URL: url, Engine: engine, Bytes: bytes,
			RetryAfter: c.retryAfterLocked(CodeFanoutExhausted, l.charge.Lane, 0),
		}
	}
	return &Lease{
		c: c, parent: l, ask: a,
		charge: Charge{Lane: l.charge.Lane, URL: url, Engine: engine, Bytes: bytes},
		ticket: ticket{state: ticketRunning, bytes: bytes, granted: now},
	}, nil
}

func (l *Lease) releaseNestedLocked(now time.Duration) {
	if l.ticket.state != ticketRunning {
		return
	}
	l.ticket.state = ticketGone
	if l.cancel != nil {
		l.cancel(nil)
	}
	l.c.sched.shrink(&l.parent.ticket, l.ticket.bytes, now)
}

// TryGrow charges more bytes to the lease, for one more image of a script,
// without ever waiting. It refuses where the bytes do not fit, where memory
// pressure is not normal, and where the client's quota of decodes is used
// up; the image is then skipped. release gives the bytes back; Release of
// the lease does too.
func (l *Lease) TryGrow(bytes int64) (release func(), ok bool) {
	if l.parent != nil {
		return l.parent.TryGrow(bytes)
	}
	c := l.c
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes < 0 || !c.growLocked(l, bytes, now) {
		return func() {}, false
	}
	grown := true
	return func() {
		now := c.facts.Since()
		c.mu.Lock()
		defer c.mu.Unlock()
		if grown {
			grown = false
			c.sched.shrink(&l.ticket, bytes, now)
		}
	}, true
}

// growLocked grows the lease and counts it.
func (c *Controller) growLocked(l *Lease, bytes int64, now time.Duration) bool {
	ok := c.pressure.severity(now) == SeverityNormal &&
		c.quotas.mayRun(l.quota, now) &&
		c.sched.tryGrow(&l.ticket, bytes)
	if ok {
		c.quotas.ran(l.quota, now)
		c.countNearLimitLocked(l.charge.Lane)
	}
	c.fanoutLocked(FanoutLua, ok)
	return ok
}
