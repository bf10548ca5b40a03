package admission

import (
	"context"
	"time"
)

// sampleEvery is the time between two samples of the pressure, and the length
// of an adaptive window.
const sampleEvery = time.Second

// idleSamples is how many samples in a row an idle process must be seen
// larger than booked before the full budget shrinks: allocators give memory
// back late.
const idleSamples = 10

// start samples at once and then in a goroutine of its own, whatever the
// requests do, until Close.
func (c *Controller) start() {
	c.Tick()
	ctx, stop := context.WithCancel(context.Background())
	c.stop, c.stopped = stop, make(chan struct{})
	go func() {
		defer close(c.stopped)
		ticker := time.NewTicker(sampleEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				c.Tick()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// Close ends the controller's goroutine. Leases stay valid.
func (c *Controller) Close() {
	if c.stop != nil {
		c.stop()
		<-c.stopped
	}
}

// Tick samples the pressure and closes an adaptive window, as the
// controller's goroutine does every second. It is for callers that set
// Facts.Manual.
func (c *Controller) Tick() {
	s := c.pressure.sampler.read()
	now := c.facts.Since()
	severity, changed := c.pressure.update(now, s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.adaptive.tick(now, c.sched.use.permits(), severity)
	c.watchIdleLocked(s.rss)
	c.warnSlowLocked(now)
	if changed {
		c.cutWaitsLocked(now, severity)
	}
	c.applyLocked(now)
}

// cutWaitsLocked shortens waits when pressure rises: what is queued is memory
// too. At critical nobody waits.
func (c *Controller) cutWaitsLocked(now time.Duration, severity Severity) {
	switch severity {
	case SeverityNormal:
	case SeverityHigh:
		for id := range lineCount {
			c.sched.each(id, func(t *ticket) {
				if l, ok := t.owner.(*Lease); ok && l.deadline-now > highWait {
					l.cut, l.deadline = true, now+highWait
					l.timer.Reset(highWait)
				}
			})
		}
	case SeverityCritical:
		for id := range lineCount {
			c.sched.refuseAll(id, now, CodePressure)
		}
	}
}

// watchIdleLocked shrinks the full budget while the idle process is larger
// than what was booked for it. The least of several samples counts.
func (c *Controller) watchIdleLocked(rss int64) {
	egress, _ := c.Egress.InUse()
	ingest, _ := c.Ingest.InUse()
	if rss == 0 || c.facts.IdleFloor == 0 || c.running.count > 0 || egress+ingest > 0 {
		c.idleSeen = nil
		return
	}
	c.idleSeen = append(c.idleSeen, rss)
	if len(c.idleSeen) < idleSamples {
		return
	}
	least := c.idleSeen[0]
	for _, v := range c.idleSeen {
		least = min(least, v)
	}
	c.idleSeen = nil
	cached := int64(0)
	if c.facts.Cached != nil {
		cached = c.facts.Cached()
	}
	growth := max(least-cached-c.facts.IdleFloor, 0)
	const noticeable = 1 << 20
	if growth-c.idleGrowth > noticeable || c.idleGrowth-growth > noticeable {
		c.idleGrowth = growth
		// A process that has worked keeps a little more than one that has just
		// started; that is worth a warning only where it costs requests.
		tell := c.log.Info
		if growth > c.books.FullBudget/10 {
			tell = c.log.Warn
		}
		tell("idle memory differs from what was booked", "booked", c.facts.IdleFloor, "measured", least-cached, "full_budget", c.hardFullLocked())
	}
}

// warnSlowLocked warns, once an hour, where fulls take longer than others may
// wait for them, or so long that a request that waited as long as it may would
// meet the request time-out.
func (c *Controller) warnSlowLocked(now time.Duration) {
	const every = time.Hour
	p95, ok := c.served.at(0.95)
	p99, _ := c.served.at(0.99)
	slow := p95 > c.cfg.QueueTimeoutFull || p99+c.cfg.QueueTimeoutFull > c.cfg.RequestTimeout
	if !ok || !slow || (c.warned && now-c.warnedAt < every) {
		return
	}
	c.warned, c.warnedAt = true, now
	c.log.Warn("full decodes take so long that waiting requests will time out", "p95", p95, "p99", p99,
		"queue_timeout", c.cfg.QueueTimeoutFull, "request_timeout", c.cfg.RequestTimeout)
}
