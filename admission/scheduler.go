package admission

import (
	"math"
	"time"
)

// maxOvertaken is how often smaller work may pass the head that fairness
// chose but that does not fit. Then what becomes free is kept for that head.
const maxOvertaken = 2

// unlimited stands for a bound that is not enforced.
const unlimited = math.MaxInt64

// capacity is what may run at once. It changes with pressure and with the
// adaptive limit, and is higher in basic mode.
type capacity struct {
	permits, tileMin, fullMax, scriptSlots int
	// limit is the adaptive limit; permits where none is enforced.
	limit int
	// tileBytes and fullBytes are the budgets usable now.
	tileBytes, fullBytes int64
}

// queueCaps bounds each line.
type queueCaps struct {
	count       int
	bytes, held int64
	// active bounds waiting plus running work of a lane.
	active int
	// laneCount and laneBytes bound one key's share; 0 means no bound.
	laneCount int
	laneBytes int64
}

// usage is what runs.
type usage struct {
	tiles, fulls, scripts int
	tileBytes, fullBytes  int64
}

func (u usage) permits() int { return u.tiles + u.fulls }

// scheduler decides who runs. It has no lock, no clock and no goroutine: its
// owner calls it with the time in hand, and it answers through the tickets'
// settlers. The controller, the shadow of basic mode and simulations share
// it. doc.go explains the rules.
type scheduler struct {
	cap   capacity
	caps  queueCaps
	use   usage
	lines [lineCount]*line
	seq   uint64

	displaced uint64
}

func newScheduler(limits capacity, caps queueCaps, threshold int64) *scheduler {
	minCost := threshold / 32
	return &scheduler{
		cap:  limits,
		caps: caps,
		lines: [lineCount]*line{
			lineTile:   newLine(minCost, false, true),
			lineFull:   newLine(minCost, false, false),
			lineScript: newLine(minCost, true, false),
		},
	}
}

// shortage returns what t lacks to run now, the queue aside.
func (s *scheduler) shortage(t *ticket) shortage {
	if s.use.permits() >= s.cap.permits {
		return shortOfPermits
	}
	if t.line == lineTile {
		if s.use.tiles >= s.cap.tileMin && s.use.permits() >= s.cap.limit {
			return shortOfPermits
		}
		if !fits(s.use.tileBytes, t.bytes, s.cap.tileBytes) {
			return shortOfBytes
		}
		return shortOfNothing
	}
	if s.use.fulls >= s.cap.fullMax || (s.use.fulls > 0 && s.use.permits() >= s.cap.limit) {
		return shortOfPermits
	}
	if t.line == lineScript && s.use.scripts >= s.cap.scriptSlots {
		return shortOfSlots
	}
	if !fits(s.use.fullBytes, t.bytes, s.cap.fullBytes) {
		return shortOfBytes
	}
	return shortOfNothing
}

func fits(used, more, limit int64) bool {
	return more <= limit && used <= limit-more
}

// tryGrant runs t at once if nobody waits in its line and nothing is short.
func (s *scheduler) tryGrant(t *ticket, now time.Duration) bool {
	t.blockedBy = s.shortage(t)
	if s.lines[t.line].count > 0 && t.blockedBy == shortOfNothing {
		t.blockedBy = shortOfPermits
	}
	if t.blockedBy != shortOfNothing {
		return false
	}
	s.take(t, now)
	return true
}

// take charges t as running.
func (s *scheduler) take(t *ticket, now time.Duration) {
	t.state, t.granted = ticketRunning, now
	if t.line == lineTile {
		s.use.tiles++
		s.use.tileBytes += t.bytes
		return
	}
	s.use.fulls++
	s.use.fullBytes += t.bytes
	if t.line == lineScript {
		s.use.scripts++
	}
}

// finish gives back what t holds and serves who fits now.
func (s *scheduler) finish(t *ticket, now time.Duration) {
	if t.state != ticketRunning {
		return
	}
	t.state = ticketGone
	if t.line == lineTile {
		s.use.tiles--
		s.use.tileBytes -= t.bytes
	} else {
		s.use.fulls--
		s.use.fullBytes -= t.bytes
		if t.line == lineScript {
			s.use.scripts--
		}
	}
	s.dispatch(now)
}

// tryGrow adds bytes to a running ticket, without waiting.
func (s *scheduler) tryGrow(t *ticket, bytes int64) bool {
	used, limit := &s.use.fullBytes, s.cap.fullBytes
	if t.line == lineTile {
		used, limit = &s.use.tileBytes, s.cap.tileBytes
	}
	if t.state != ticketRunning || !fits(*used, bytes, limit) {
		return false
	}
	*used += bytes
	t.bytes += bytes
	return true
}

// shrink takes back what tryGrow added.
func (s *scheduler) shrink(t *ticket, bytes int64, now time.Duration) {
	if t.state != ticketRunning {
		return
	}
	t.bytes -= bytes
	if t.line == lineTile {
		s.use.tileBytes -= bytes
	} else {
		s.use.fullBytes -= bytes
	}
	s.dispatch(now)
}

// leave takes a waiting ticket out of the queue: its time is over or its
// client has gone. It reports whether t was still waiting.
func (s *scheduler) leave(t *ticket, now time.Duration) bool {
	if t.state != ticketWaiting {
		return false
	}
	s.lines[t.line].remove(t)
	t.state = ticketGone
	s.dispatch(now)
	return true
}

// dispatch grants until nothing that is eligible fits.
func (s *scheduler) dispatch(now time.Duration) {
	for s.use.permits() < s.cap.permits {
		t, passed := s.next(now)
		if t == nil {
			return
		}
		if passed != nil {
			passed.overtaken++
		}
		s.lines[t.line].serve(t)
		s.take(t, now)
		t.owner.grantedAt(now)
	}
}

// next chooses between the lines. Tiles below their floor and fulls below
// their cap never compete for the same permit, except where there is only
// one permit or where the cap is not enforced: there the older goes first.
// Beyond their floor tiles take what fulls cannot use.
func (s *scheduler) next(now time.Duration) (t, passed *ticket) {
	tile, tilePassed := s.candidate(lineTile, now)
	full, fullPassed := s.candidate(lineFull, now)
	script, scriptPassed := s.candidate(lineScript, now)
	if full == nil || (script != nil && script.seq < full.seq) {
		full, fullPassed = script, scriptPassed
	}
	switch {
	case tile == nil:
		return full, fullPassed
	case full == nil:
		return tile, tilePassed
	case s.use.tiles >= s.cap.tileMin || full.seq < tile.seq:
		return full, fullPassed
	default:
		return tile, tilePassed
	}
}

// candidate returns who of a line may run now. Where that is not the head
// that fairness chose, passed is the head that it overtakes.
func (s *scheduler) candidate(id lineID, now time.Duration) (t, passed *ticket) {
	l := s.lines[id]
	if l.count == 0 {
		return nil, nil
	}
	head := l.first(now)
	head.blockedBy = s.shortage(head)
	if head.blockedBy == shortOfNothing {
		return head, nil
	}
	if head.blockedBy != shortOfBytes || head.overtaken >= maxOvertaken {
		return nil, nil
	}
	small := l.smallest()
	if small == head || s.shortage(small) != shortOfNothing {
		return nil, nil
	}
	return small, head
}
