package admission

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// probe is a ticket whose settlement a test looks at.
type probe struct {
	ticket
	grants, refusals int
	code             Code
}

func (p *probe) grantedAt(time.Duration)           { p.grants++ }
func (p *probe) refusedAt(_ time.Duration, c Code) { p.refusals++; p.code = c }

func newProbe(line lineID, key string, bytes int64) *probe {
	p := &probe{ticket: ticket{line: line, key: key, bytes: bytes}}
	p.owner = p
	return p
}

var testCapacity = capacity{
	permits: 8, tileMin: 4, fullMax: 4, scriptSlots: 2, limit: 8,
	tileBytes: 128 * mib, fullBytes: 1 * gib,
}

var testCaps = queueCaps{count: 64, bytes: 8 * gib, held: 64 * mib, active: 1000}

// world is a scheduler with everything that was ever put into it.
type world struct {
	s       *scheduler
	now     time.Duration
	waiting map[*probe]bool
	running map[*probe]bool
	settled map[*probe]bool
}

func newWorld(limits capacity, caps queueCaps) *world {
	return &world{
		s: newScheduler(limits, caps, 32*mib), waiting: make(map[*probe]bool),
		running: make(map[*probe]bool), settled: make(map[*probe]bool),
	}
}

// arrive tries, then parks.
func (w *world) arrive(p *probe) Code {
	defer w.sort()
	if w.s.tryGrant(&p.ticket, w.now) {
		p.grants++
		w.running[p] = true
		return ""
	}
	w.waiting[p] = true
	if code := w.s.park(&p.ticket, w.now); code != "" {
		delete(w.waiting, p)
		p.refusals++
		w.settled[p] = true
		return code
	}
	return ""
}

// sort moves what was settled by an operation.
func (w *world) sort() {
	for p := range w.waiting {
		switch {
		case p.grants > 0:
			delete(w.waiting, p)
			w.running[p] = true
		case p.refusals > 0:
			delete(w.waiting, p)
			w.settled[p] = true
		}
	}
}

func (w *world) finish(p *probe) {
	delete(w.running, p)
	w.settled[p] = true
	w.s.finish(&p.ticket, w.now)
	w.sort()
}

func (w *world) leave(p *probe) {
	if w.s.leave(&p.ticket, w.now) {
		delete(w.waiting, p)
		p.refusals++
		w.settled[p] = true
	}
	w.sort()
}

// check returns the first invariant that does not hold. shrunk tells that the
// limits were lowered while work ran, which may then be above them.
func (w *world) check(shrunk bool) error {
	var sum usage
	for p := range w.running {
		if p.grants != 1 || p.refusals != 0 || p.state != ticketRunning {
			return fmt.Errorf("running %+v", p)
		}
		if p.line == lineTile {
			sum.tiles++
			sum.tileBytes += p.bytes
			continue
		}
		sum.fulls++
		sum.fullBytes += p.bytes
		if p.line == lineScript {
			sum.scripts++
		}
	}
	u, limits := w.s.use, w.s.cap
	if u != sum {
		return fmt.Errorf("usage %+v, running sums to %+v", u, sum)
	}
	if u.permits() > limits.permits || u.fulls > limits.fullMax || u.scripts > limits.scriptSlots || u.tileBytes > limits.tileBytes {
		return fmt.Errorf("usage %+v above %+v", u, limits)
	}
	if !shrunk && (u.fullBytes > limits.fullBytes || u.permits() > max(limits.limit, limits.tileMin+1)) {
		return fmt.Errorf("usage %+v above %+v", u, limits)
	}
	counts := [lineCount]int{}
	separate := limits.tileMin+limits.fullMax <= limits.permits
	for p := range w.waiting {
		counts[p.line]++
		if p.grants+p.refusals != 0 || p.state != ticketWaiting {
			return fmt.Errorf("waiting %+v", p)
		}
		if separate && p.line == lineTile && u.tiles < limits.tileMin && fits(u.tileBytes, p.bytes, limits.tileBytes) && p == w.head(lineTile) {
			return fmt.Errorf("a tile waits below the tiles' floor: %+v", u)
		}
	}
	for id, l := range w.s.lines {
		if l.count != counts[id] || len(l.flows) > l.count || l.count > w.s.caps.count || l.bytes > w.s.caps.bytes {
			return fmt.Errorf("line %d: count %d (want %d), %d flows, %d bytes", id, l.count, counts[id], len(l.flows), l.bytes)
		}
		if t, _ := w.s.candidate(lineID(id), w.now); t != nil {
			return fmt.Errorf("line %d: %+v is eligible and waits", id, t)
		}
	}
	for p := range w.settled {
		if p.grants+p.refusals == 0 || p.grants > 1 || p.refusals > 1 || (p.grants == 1 && p.refusals == 1) {
			return fmt.Errorf("settled %d times: %+v", p.grants+p.refusals, p)
		}
	}
	return nil
}

func (w *world) head(id lineID) *probe {
	if w.s.lines[id].count == 0 {
		return nil
	}
	p, _ := w.s.lines[id].first(w.now).owner.(*probe)
	return p
}

// randomProbe draws work of a random lane, client and size.
func randomProbe(r *rand.Rand) *probe {
	key := fmt.Sprintf("k%d", r.IntN(9))
	switch r.IntN(10) {
	case 0:
		return newProbe(lineScript, key, 0)
	case 1, 2, 3:
		return newProbe(lineFull, key, 32*mib+r.Int64N(900*mib))
	default:
		p := newProbe(lineTile, key, 1+r.Int64N(32*mib-1))
		p.held = r.Int64N(mib)
		return p
	}
}

// TestSchedulerInvariants puts tens of thousands of random arrivals, ends,
// aborts and changes of the limits through the scheduler and looks at every
// invariant after each.
func TestSchedulerInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		limits, caps := testCapacity, testCaps
		caps.count = 1 + r.IntN(40)
		limits.permits = 1 + r.IntN(8)
		limits.tileMin = max(1, limits.permits/2)
		limits.fullMax = max(1, limits.permits-limits.tileMin)
		limits.limit = limits.permits
		w := newWorld(limits, caps)
		shrunk := false
		pick := func(set map[*probe]bool) *probe {
			var best *probe
			for p := range set {
				if best == nil || p.seq+uint64(p.bytes) < best.seq+uint64(best.bytes) {
					best = p
				}
			}
			return best
		}
		for range 400 {
			// Time alone can make a waiter eligible: its key turns newest first.
			// The controller's tick serves it then.
			w.now += time.Duration(r.IntN(200)) * time.Millisecond
			w.s.dispatch(w.now)
			w.sort()
			switch op := r.IntN(20); {
			case op < 11:
				w.arrive(randomProbe(r))
			case op < 17 && len(w.running) > 0:
				w.finish(pick(w.running))
			case op < 18 && len(w.waiting) > 0:
				w.leave(pick(w.waiting))
			case op == 19:
				w.s.cap.fullBytes = limits.fullBytes - r.Int64N(limits.fullBytes/4)
				w.s.cap.limit = max(limits.tileMin, 1+r.IntN(limits.permits))
				shrunk = true
				w.s.dispatch(w.now)
				w.sort()
			}
			if err := w.check(shrunk); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		w.s.cap = limits
		w.s.dispatch(w.now)
		w.sort()
		for len(w.running) > 0 {
			w.finish(pick(w.running))
		}
		if err := w.check(shrunk); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if w.s.use != (usage{}) || len(w.waiting) != 0 {
			t.Fatalf("seed %d: %+v in use, %d waiting", seed, w.s.use, len(w.waiting))
		}
	})
}
