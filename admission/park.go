package admission

import (
	"cmp"
	"time"
)

// park puts t into its line and serves who fits. It returns the code of the
// refusal where the line has no room for t, else "". The tickets that t
// displaces are refused through their settlers.
func (s *scheduler) park(t *ticket, now time.Duration) Code {
	l := s.lines[t.line]
	count, bytes, held := l.waiting(t.key)
	if s.caps.laneCount > 0 && (count >= s.caps.laneCount || !fits(bytes, t.bytes, s.caps.laneBytes)) {
		return CodeLaneFull
	}
	if !s.heldFits(l, t, count, held) {
		return CodeQueueHeldBytes
	}
	if code := s.makeRoom(l, t, count, bytes, now); code != "" {
		return code
	}
	s.seq++
	t.seq, t.since, t.state = s.seq, now, ticketWaiting
	l.push(t)
	s.dispatch(now)
	return ""
}

// heldFits bounds the bytes that waiting requests really hold. While others
// wait, one key holds at most a quarter.
func (s *scheduler) heldFits(l *line, t *ticket, count int, held int64) bool {
	if t.held == 0 {
		return true
	}
	if !fits(l.held, t.held, s.caps.held) {
		return false
	}
	return l.count == count || fits(held, t.held, s.caps.held/4)
}

// makeRoom drops from one longer sub-queue where the line is full, so that one
// client's burst does not refuse another's single request. Nobody is dropped
// unless that makes enough room.
func (s *scheduler) makeRoom(l *line, t *ticket, count int, bytes int64, now time.Duration) Code {
	running := s.use.tiles
	if t.line != lineTile {
		running = s.use.fulls
	}
	refusal, longer := Code(""), (*flow)(nil)
	switch {
	case l.count >= s.caps.count:
		refusal = CodeQueueFull
	case l.count+running >= s.caps.active:
		refusal = CodeGlobalActive
	}
	need := l.bytes - (s.caps.bytes - t.bytes)
	switch {
	case refusal == "" && need <= 0:
		return ""
	case l.count == 0:
		return cmp.Or(refusal, CodeQueueFull)
	case refusal != "":
		longer = l.heaps[byCount].top()
		if count >= longer.count {
			return refusal
		}
	default:
		refusal, longer = CodeQueueFull, l.heaps[byBytes].top()
	}
	victims, freed := longer.tail(need)
	if longer.key == t.key || freed < need || (need > 0 && longer.bytes-freed < bytes) {
		return refusal
	}
	for range victims {
		s.displace(longer.last(), now)
	}
	return ""
}

// displace sheds a waiter in favour of a newcomer.
func (s *scheduler) displace(t *ticket, now time.Duration) {
	s.lines[t.line].remove(t)
	t.state = ticketGone
	s.displaced++
	t.owner.refusedAt(now, CodeQueueDisplaced)
}
