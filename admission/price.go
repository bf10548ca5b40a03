package admission

import (
	"context"
	"time"
)

// Check returns the refusal of work that no waiting can help, as Acquire
// would, and nil where waiting could. It counts and takes nothing: it is for
// answers that only tell what a request would get.
func (c *Controller) Check(ctx context.Context, a Ask) *Rejection {
	left := c.timeLeft(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	url, engine, lane := c.verdicts(&a)
	code := c.neverLocked(lane, &a, left)
	if code == "" || (code == CodeExceedsBudget && !c.enforcing()) {
		return nil
	}
	r := &Rejection{Code: code, Lane: lane, URL: url, Engine: engine, Bytes: a.Peak}
	if code == CodeExceedsBudget {
		r.Limit = c.hardFullLocked()
	}
	return r
}

// timeLeft is the time until the context's deadline, or the whole request
// time-out where it has none.
func (c *Controller) timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return c.cfg.RequestTimeout
}

// neverLocked returns the code of an ask that no waiting can help. Basic mode
// only counts the one about the budget.
func (c *Controller) neverLocked(lane Lane, a *Ask, left time.Duration) Code {
	switch {
	case a.Seconds > 0 && seconds(a.Seconds) > left:
		return CodeExceedsTime
	case lane == LaneFull && !a.Script && a.Peak > c.hardFullLocked():
		return CodeExceedsBudget
	default:
		return ""
	}
}

// verdicts asks both classifiers.
func (c *Controller) verdicts(a *Ask) (url, engine, lane Lane) {
	if a.Script {
		return a.URL, "", LaneFull
	}
	if a.Peak <= 0 {
		if a.URL == LaneTile {
			return a.URL, "", LaneTile
		}
		return a.URL, "", LaneFull
	}
	engine = ClassifyWork(a.Peak, a.Seconds, c.cfg.Threshold)
	return a.URL, engine, engine
}

// judge is verdicts, with the comparison and the price counted.
func (c *Controller) judge(a *Ask) (url, engine, lane Lane) {
	url, engine, lane = c.verdicts(a)
	if engine != "" {
		c.metrics.memEstimate.Observe(float64(a.Peak))
		if url != "" {
			c.metrics.compared(url, engine, a.Format)
		}
	}
	return url, engine, lane
}

// classifyLocked decides the lane, the line and the charge.
func (c *Controller) classifyLocked(l *Lease) {
	url, engine, lane := c.judge(&l.ask)
	if l.ask.Key == "" {
		l.ask.Key = Anonymous
	}
	bytes, line := l.ask.Peak, lineFull
	switch {
	case l.ask.Script:
		bytes, line = 0, lineScript
	case lane == LaneTile:
		line = lineTile
		if bytes <= 0 {
			bytes = c.cfg.Threshold
		}
	case bytes <= 0:
		bytes = c.hardFullLocked()
	}
	l.charge = Charge{Lane: lane, URL: url, Engine: engine, Bytes: bytes}
	l.ticket = ticket{line: line, key: l.ask.Key, bytes: bytes, held: max(l.ask.Held, 0), owner: l}
}
