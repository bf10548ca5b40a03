package admission

// wouldCounts are what the adaptive limit would have done.
type wouldCounts struct{ admit, queue, reject uint64 }

// wouldLocked counts what the adaptive limit and the virtual lanes would do
// with an ask at this moment. It changes nothing.
func (c *Controller) wouldLocked(l *Lease) {
	if !c.adaptive.on {
		return
	}
	t, line := &l.ticket, c.sched.lines[l.ticket.line]
	saved := c.sched.cap.limit
	c.sched.cap.limit = c.adaptive.value()
	short := c.sched.shortage(t)
	c.sched.cap.limit = saved
	switch {
	case short == shortOfNothing && line.count == 0:
		c.would.admit++
		c.metrics.wouldAdmit.Inc()
	case line.count >= c.sched.caps.count || !c.wouldLaneLocked(t):
		c.would.reject++
		c.metrics.wouldReject.Inc()
	default:
		c.would.queue++
		c.metrics.wouldQueue.Inc()
	}
}

// wouldLaneLocked tells whether the key's virtual lane would have room.
func (c *Controller) wouldLaneLocked(t *ticket) bool {
	if !c.cfg.VirtualLanes {
		return true
	}
	most, mostBytes := c.laneCaps(c.sched.caps)
	count, bytes, _ := c.sched.lines[t.line].waiting(t.key)
	return count < most && fits(bytes, t.bytes, mostBytes)
}
