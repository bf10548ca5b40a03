package admission

import "time"

// Check judges without acquiring: it returns the Rejection of an ask that no
// waiting could help, nil for any other. left is the time until the
// request's deadline. Nothing is counted.
func (c *Controller) Check(a Ask, left time.Duration) *Rejection {
	if a.Peak <= 0 {
		return nil
	}
	lane := classifyPeak(a.Peak, c.cfg.Threshold)
	c.mu.Lock()
	limit := c.hardFullLocked()
	c.mu.Unlock()
	r := &Rejection{Lane: lane, URL: a.URL, Engine: lane, Bytes: a.Peak}
	switch {
	case lane == LaneFull && a.Peak > limit && c.enforcing():
		r.Code, r.Limit = CodeExceedsBudget, limit
	case a.Seconds > 0 && seconds(a.Seconds) > left:
		r.Code = CodeExceedsTime
	default:
		return nil
	}
	return r
}
