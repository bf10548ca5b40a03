package admission

import "time"

// refuse ends the wait of one ticket.
func (s *scheduler) refuse(t *ticket, now time.Duration, code Code) {
	if t.state != ticketWaiting {
		return
	}
	s.lines[t.line].remove(t)
	t.state = ticketGone
	t.owner.refusedAt(now, code)
	s.dispatch(now)
}

// refuseAll ends the wait of everything in a line.
func (s *scheduler) refuseAll(id lineID, now time.Duration, code Code) {
	for l := s.lines[id]; l.count > 0; {
		t := l.smallest()
		l.remove(t)
		t.state = ticketGone
		t.owner.refusedAt(now, code)
	}
}

// refuseLarger ends the wait of what no longer fits into a budget that has
// shrunk, even alone.
func (s *scheduler) refuseLarger(id lineID, budget int64, now time.Duration) {
	var larger []*ticket
	s.each(id, func(t *ticket) {
		if t.bytes > budget {
			larger = append(larger, t)
		}
	})
	for _, t := range larger {
		s.refuse(t, now, CodeExceedsBudget)
	}
}

// each calls f for every ticket that waits in a line; f must not change the
// line.
func (s *scheduler) each(id lineID, f func(*ticket)) {
	for _, flow := range s.lines[id].flows {
		for t := flow.oldest; t != nil; t = t.next {
			f(t)
		}
	}
}
