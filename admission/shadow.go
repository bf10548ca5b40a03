package admission

import (
	"container/heap"
	"time"
)

// shadow is what advanced mode would do with the requests that basic mode
// serves: a scheduler of its own, with every bound enforced, that is given the
// same arrivals and lets the work take as long as it really takes. Queues are
// simulated, so that what it counts as refused is what would be refused, not
// what would have had to wait. Its owner locks.
type shadow struct {
	c      *Controller
	sched  *scheduler
	events shadowEvents
	pushed uint64
	// refused counts what advanced mode would have refused.
	refused map[Lane]uint64
}

// shade is one ask in the shadow.
type shade struct {
	s      *shadow
	lane   Lane
	ticket ticket

	// What basic mode did with it.
	startedAt time.Duration
	isStarted bool
	service   time.Duration
	known     bool
	// guessed tells that its end in the shadow is an estimate, because it
	// began there before it began for real.
	guessed bool
}

// shadowEvent is something that will happen to a shade: its wait is over, or
// its work is done.
type shadowEvent struct {
	at   time.Duration
	seq  uint64
	of   *shade
	ends bool
	// guess tells that the end is an estimate, which may be overtaken.
	guess bool
}

type shadowEvents []shadowEvent

func (e shadowEvents) Len() int { return len(e) }
func (e shadowEvents) Less(i, j int) bool {
	return e[i].at < e[j].at || (e[i].at == e[j].at && e[i].seq < e[j].seq)
}
func (e shadowEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push adds an event, for container/heap.
func (e *shadowEvents) Push(x any) {
	event, _ := x.(shadowEvent)
	*e = append(*e, event)
}

// Pop removes the last event, for container/heap.
func (e *shadowEvents) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = shadowEvent{}
	*e = old[:len(old)-1]
	return last
}

func newShadow(c *Controller, limits capacity, caps queueCaps) *shadow {
	return &shadow{c: c, sched: newScheduler(limits, caps, c.cfg.Threshold), refused: make(map[Lane]uint64)}
}

func (s *shadow) schedule(e shadowEvent) {
	s.pushed++
	e.seq = s.pushed
	heap.Push(&s.events, e)
}

// advance lets everything happen that was due until now, each at its time.
func (s *shadow) advance(now time.Duration) {
	for len(s.events) > 0 && s.events[0].at <= now {
		e, _ := heap.Pop(&s.events).(shadowEvent)
		switch {
		case !e.ends:
			s.sched.refuse(&e.of.ticket, e.at, CodeQueueTimeout)
		case !e.guess || e.of.guessed:
			s.sched.finish(&e.of.ticket, e.at)
		}
	}
}

// apply puts changed limits into force.
func (s *shadow) apply(limits capacity, now time.Duration) {
	s.advance(now)
	s.sched.cap = limits
	s.sched.dispatch(now)
}

// arrived lets an ask into the shadow. What exceeds the budget alone has been
// counted and does not enter.
func (s *shadow) arrived(l *Lease, now, wait time.Duration) {
	s.advance(now)
	if l.ticket.line == lineFull && l.ticket.bytes > s.c.hardFullLocked() {
		return
	}
	sh := &shade{s: s, lane: l.charge.Lane}
	sh.ticket = ticket{line: l.ticket.line, key: l.ticket.key, bytes: l.ticket.bytes, held: l.ticket.held, owner: sh}
	l.shade = sh
	if s.sched.tryGrant(&sh.ticket, now) {
		sh.grantedAt(now)
		return
	}
	if wait <= 0 {
		sh.refusedAt(now, CodeQueueTimeout)
		return
	}
	if code := s.sched.park(&sh.ticket, now); code != "" {
		sh.refusedAt(now, code)
		return
	}
	s.schedule(shadowEvent{at: now + wait, of: sh})
}

// grantedAt begins the work in the shadow.
func (sh *shade) grantedAt(now time.Duration) {
	switch {
	case sh.known:
		sh.s.schedule(shadowEvent{at: now + sh.service, of: sh, ends: true})
	case !sh.isStarted:
		sh.guessed = true
		mean := time.Duration(sh.s.c.service[sh.lane].seconds * float64(time.Second))
		sh.s.schedule(shadowEvent{at: now + mean, of: sh, ends: true, guess: true})
	}
}

// refusedAt counts what advanced mode would have refused.
func (sh *shade) refusedAt(time.Duration, Code) {
	sh.s.refused[sh.lane]++
	if sh.lane != LaneFull {
		return
	}
	sh.s.c.metrics.shadowRefused.Inc()
	if sh.ticket.blockedBy == shortOfBytes {
		sh.s.c.metrics.memShadowRejected.Inc()
	}
}

// started notes that the work began for real. Where that is when it began in
// the shadow, its end need not be guessed.
func (sh *shade) started(now time.Duration) {
	sh.isStarted, sh.startedAt = true, now
	if sh.ticket.state == ticketRunning && sh.ticket.granted == now {
		sh.guessed = false
	}
}

// finished notes that the work ended for real, so that the time it takes is
// known.
func (sh *shade) finished(now time.Duration) {
	sh.s.advance(now)
	sh.service, sh.known = now-sh.startedAt, true
	if sh.ticket.state != ticketRunning || sh.guessed {
		return
	}
	if end := sh.ticket.granted + sh.service; end > now {
		sh.s.schedule(shadowEvent{at: end, of: sh, ends: true})
		return
	}
	sh.s.sched.finish(&sh.ticket, now)
}

// left notes that the client has gone while it waited for real.
func (sh *shade) left(now time.Duration) {
	sh.s.advance(now)
	sh.s.sched.leave(&sh.ticket, now)
}
