package admission

import (
	"context"
	"time"
)

// FanoutKind is who started work beside a client's request.
type FanoutKind string

// The kinds of fan-out.
const (
	FanoutPrefetch FanoutKind = "prefetch" // neighbours of a served tile
	FanoutWarm     FanoutKind = "warm"     // derivatives an operator asked for
	FanoutLua      FanoutKind = "lua"      // images of one script
)

// fanoutCounts are the totals in the snapshot.
type fanoutCounts struct{ admitted, skipped, errors uint64 }

// TryProbe tells whether work of the target's price would be admitted now. It
// never waits and holds nothing: it is a gate for planning, and the work has
// to TryAcquire (or, within a script, to grow its lease) when it runs. key is
// the parent's fairness key, bytes the target's own estimate.
func (c *Controller) TryProbe(kind FanoutKind, key string, bytes int64) bool {
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	line := lineTile
	if bytes >= c.cfg.Threshold {
		line = lineFull
	}
	t := ticket{line: line, key: key, bytes: bytes}
	ok := c.fanoutAllowedLocked(kind, now)
	if kind == FanoutLua {
		used, limit := c.sched.use.fullBytes, c.sched.cap.fullBytes
		ok = ok && fits(used, bytes, limit)
	} else {
		ok = ok && c.sched.shortage(&t) == shortOfNothing
	}
	ok = ok && c.laneHasRoomLocked(&t)
	if !ok {
		c.fanoutLocked(kind, false)
	}
	return ok
}

// TryAcquire takes a lease for prefetch or warming if nobody could want what
// it takes: pressure is normal, no tile waits, more than one permit is free,
// and the bytes fit. It never waits; false means that the work is skipped.
// No quota is charged, and the time it takes teaches nothing.
func (c *Controller) TryAcquire(ctx context.Context, kind FanoutKind, a Ask) (*Lease, bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	l := &Lease{c: c, ask: a, side: true}
	c.classifyLocked(l)
	l.ticket.since = now
	ok := c.fanoutAllowedLocked(kind, now) && c.laneHasRoomLocked(&l.ticket) && c.sched.tryGrant(&l.ticket, now)
	c.fanoutLocked(kind, ok)
	if !ok {
		return nil, false
	}
	l.grantedAt(now)
	return l, true
}

// FanoutExhausted is the refusal of a script all of whose images were
// skipped.
func (c *Controller) FanoutExhausted() *Rejection {
	now := c.facts.Since()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rejectLocked(&Lease{c: c, ask: Ask{Script: true}, charge: Charge{Lane: LaneFull}}, CodeFanoutExhausted, now)
}

// FanoutFailed counts fan-out work that failed for another reason than
// admission.
func (c *Controller) FanoutFailed(kind FanoutKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fanout.errors++
	c.metrics.fanout.WithLabelValues(string(kind), resultError).Inc()
}

// FanoutSkipped counts fan-out work that was dropped before it came to
// admission.
func (c *Controller) FanoutSkipped(kind FanoutKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fanoutLocked(kind, false)
}

// fanoutAllowedLocked tells whether there is time for such work. A script's
// images run on their parent's permit, so permits and waiters do not matter.
func (c *Controller) fanoutAllowedLocked(kind FanoutKind, now time.Duration) bool {
	if c.draining || c.pressure.severity(now) != SeverityNormal {
		return false
	}
	if kind == FanoutLua {
		return true
	}
	return c.sched.lines[lineTile].count == 0 && c.sched.cap.permits-c.sched.use.permits() > 1
}

// laneHasRoomLocked is the gate by key, which exists with virtual lanes only.
func (c *Controller) laneHasRoomLocked(t *ticket) bool {
	caps := c.sched.caps
	count, bytes, _ := c.sched.lines[t.line].waiting(t.key)
	return caps.laneCount == 0 || (count < caps.laneCount && fits(bytes, t.bytes, caps.laneBytes))
}

func (c *Controller) fanoutLocked(kind FanoutKind, ok bool) {
	result := resultSkipped
	if ok {
		c.fanout.admitted++
		result = resultAdmitted
	} else {
		c.fanout.skipped++
	}
	c.metrics.fanout.WithLabelValues(string(kind), result).Inc()
}
