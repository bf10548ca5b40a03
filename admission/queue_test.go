package admission

import (
	"fmt"
	"testing"
	"time"
)

// TestSmallPassesBigThatDoesNotFit: budget 10, 5 free, waiters need 10 and 3.
func TestSmallPassesBigThatDoesNotFit(t *testing.T) {
	t.Parallel()
	limits := testCapacity
	limits.fullBytes = 10 * gib
	w := newWorld(limits, queueCaps{count: 10, bytes: 100 * gib, active: 100})
	holder := newProbe(lineFull, "h", 5*gib)
	w.arrive(holder)
	big := newProbe(lineFull, "big", 10*gib)
	w.arrive(big)
	small := newProbe(lineFull, "small", 3*gib)
	w.arrive(small)
	if small.grants != 1 || big.grants != 0 {
		t.Fatalf("small %d, big %d grants", small.grants, big.grants)
	}
	w.finish(small)
	w.finish(holder)
	if big.grants != 1 {
		t.Fatal("big was not granted when it fits")
	}
	w.finish(big)
}

// TestNoBarging: newcomers that come one after the other pass an older waiter
// that does not fit only until they were served as many bytes as it asks for,
// and twice more. Then what becomes free is kept for it.
func TestNoBarging(t *testing.T) {
	t.Parallel()
	w := newWorld(testCapacity, queueCaps{count: 100, bytes: 1000 * gib, active: 1000})
	holder := newProbe(lineFull, "h", 800*mib)
	w.arrive(holder)
	big := newProbe(lineFull, "big", 300*mib)
	w.arrive(big)
	passed := 0
	var waiting []*probe
	for i := range 26 {
		p := newProbe(lineFull, fmt.Sprint("n", i), 200*mib)
		w.arrive(p)
		if p.grants == 1 {
			passed++
			w.finish(p)
		} else {
			waiting = append(waiting, p)
		}
	}
	if passed != 1+maxOvertaken {
		t.Errorf("%d newcomers passed, want %d", passed, 1+maxOvertaken)
	}
	w.finish(holder)
	if big.grants != 1 {
		t.Error("what became free was not kept for the waiter that was overtaken")
	}
	w.finish(big)
	for _, p := range waiting {
		if p.grants == 1 {
			w.finish(p)
		}
	}
	for _, p := range waiting {
		if p.grants != 1 {
			t.Error("a newcomer was forgotten")
		}
	}
}

// TestNewcomerNeverPassesWhoFits: with one permit, nobody goes before an
// equal that came first.
func TestNewcomerNeverPassesWhoFits(t *testing.T) {
	t.Parallel()
	w, holder := oneAtATime(lineFull, queueCaps{count: 100, bytes: 1000 * gib, active: 1000})
	for i := range 26 {
		w.arrive(newProbe(lineFull, fmt.Sprint("n", i), 40*mib))
	}
	last := uint64(0)
	for _, p := range w.order(holder) {
		if p.seq < last {
			t.Errorf("%d was granted after %d", p.seq, last)
		}
		last = p.seq
	}
}

// TestScriptsWithoutSlotHoldNobodyUp: fulls run although older scripts wait.
func TestScriptsWithoutSlotHoldNobodyUp(t *testing.T) {
	t.Parallel()
	w := newWorld(testCapacity, testCaps)
	for range 2 {
		w.arrive(newProbe(lineScript, "s", 0))
	}
	third := newProbe(lineScript, "s", 0)
	w.arrive(third)
	f := newProbe(lineFull, "f", 40*mib)
	w.arrive(f)
	if f.grants != 1 || third.grants != 0 {
		t.Errorf("full %d, script %d grants", f.grants, third.grants)
	}
}

// TestFullsAreNotStarvedByTiles: a full gets the next permit once tiles have
// more than their floor.
func TestFullsAreNotStarvedByTiles(t *testing.T) {
	t.Parallel()
	w := newWorld(testCapacity, testCaps)
	var tiles []*probe
	for range 8 + 20 {
		p := newProbe(lineTile, "t", mib)
		w.arrive(p)
		tiles = append(tiles, p)
	}
	f := newProbe(lineFull, "f", 40*mib)
	w.arrive(f)
	w.finish(tiles[0])
	if f.grants != 1 {
		t.Error("the full waits while tiles burst")
	}
}

// oneAtATime is a line with a single permit that is held, so that what is
// parked next waits.
func oneAtATime(line lineID, caps queueCaps) (*world, *probe) {
	limits := testCapacity
	limits.permits, limits.tileMin, limits.fullMax, limits.limit = 1, 1, 1, 1
	w := newWorld(limits, caps)
	holder := newProbe(line, "holder", mib)
	w.arrive(holder)
	return w, holder
}

// order finishes one after the other and returns who was granted when.
func (w *world) order(current *probe) []*probe {
	var granted []*probe
	for {
		w.finish(current)
		if len(w.running) == 0 {
			return granted
		}
		for p := range w.running {
			current = p
		}
		granted = append(granted, current)
	}
}

func TestSingleWaiterIsServedWithinTwoGrants(t *testing.T) {
	t.Parallel()
	w, holder := oneAtATime(lineTile, queueCaps{count: 200, bytes: 100 * gib, active: 1000})
	for range 100 {
		w.arrive(newProbe(lineTile, "a", 4*mib))
	}
	b := newProbe(lineTile, "b", 4*mib)
	w.arrive(b)
	for i, p := range w.order(holder) {
		if p == b {
			if i >= 2 {
				t.Errorf("b was grant %d", i+1)
			}
			return
		}
	}
	t.Error("b was never granted")
}

// TestEqualShareOfBytes: a key with large work gets no more bytes than an
// equal key with small work, both always waiting.
func TestEqualShareOfBytes(t *testing.T) {
	t.Parallel()
	w, current := oneAtATime(lineFull, queueCaps{count: 10_000, bytes: unlimited, active: 100_000})
	bytes := map[string]int64{}
	refill := func() {
		for key, size := range map[string]int64{"heavy": 300 * mib, "light": 34 * mib} {
			if count, _, _ := w.s.lines[lineFull].waiting(key); count < 20 {
				w.arrive(newProbe(lineFull, key, size))
			}
		}
	}
	for range 40 {
		refill()
	}
	for range 1000 {
		w.finish(current)
		for p := range w.running {
			current = p
		}
		bytes[current.key] += current.bytes
		refill()
	}
	share := float64(bytes["heavy"]) / float64(bytes["heavy"]+bytes["light"])
	if share > 0.55 || share < 0.45 {
		t.Errorf("heavy got %.3f of the bytes", share)
	}
}

// TestReturningKeyGainsNothing: a key that always has one waiter does not get
// ahead of one that has many.
func TestReturningKeyGainsNothing(t *testing.T) {
	t.Parallel()
	w, current := oneAtATime(lineFull, queueCaps{count: 2000, bytes: unlimited, active: 100_000})
	for range 1000 {
		w.arrive(newProbe(lineFull, "many", 40*mib))
	}
	w.arrive(newProbe(lineFull, "one", 400*mib))
	bytes := map[string]int64{}
	for range 500 {
		w.finish(current)
		for p := range w.running {
			current = p
		}
		bytes[current.key] += current.bytes
		if current.key == "one" {
			w.arrive(newProbe(lineFull, "one", 400*mib))
		}
	}
	share := float64(bytes["one"]) / float64(bytes["one"]+bytes["many"])
	if share > 0.55 || share < 0.45 {
		t.Errorf("one got %.3f of the bytes", share)
	}
}

func TestOldTilesTurnNewestFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		age   time.Duration
		first int
	}{{400 * time.Millisecond, 0}, {600 * time.Millisecond, 2}} {
		w, holder := oneAtATime(lineTile, testCaps)
		var tiles []*probe
		for range 3 {
			p := newProbe(lineTile, "a", mib)
			w.arrive(p)
			tiles = append(tiles, p)
		}
		w.now += c.age
		w.finish(holder)
		for i, p := range tiles {
			if (p.grants == 1) != (i == c.first) {
				t.Errorf("after %v: tile %d has %d grants", c.age, i, p.grants)
			}
		}
	}
	w, holder := oneAtATime(lineFull, testCaps)
	first := newProbe(lineFull, "a", 40*mib)
	w.arrive(first)
	w.arrive(newProbe(lineFull, "a", 40*mib))
	w.now += time.Minute
	w.finish(holder)
	if first.grants != 1 {
		t.Error("fulls do not keep their order")
	}
}

func TestFullQueueShedsFromTheLongest(t *testing.T) {
	t.Parallel()
	w, _ := oneAtATime(lineTile, queueCaps{count: 10, bytes: gib, active: 1000})
	var a []*probe
	for range 10 {
		p := newProbe(lineTile, "a", mib)
		w.arrive(p)
		a = append(a, p)
	}
	if code := w.arrive(newProbe(lineTile, "a", mib)); code != CodeQueueFull {
		t.Errorf("a's own newcomer: %q", code)
	}
	b := newProbe(lineTile, "b", mib)
	if code := w.arrive(b); code != "" {
		t.Fatalf("b: %q", code)
	}
	if a[9].code != CodeQueueDisplaced || a[8].refusals != 0 || w.s.displaced != 1 {
		t.Errorf("the newest of the longest was not shed: %+v", a[9])
	}
	for range 4 {
		w.arrive(newProbe(lineTile, "b", mib))
	}
	if code := w.arrive(newProbe(lineTile, "b", mib)); code != CodeQueueFull {
		t.Errorf("b has as many as a: %q", code)
	}
	if err := w.check(false); err != nil {
		t.Error(err)
	}
}

// TestLifoShedsTheOldest: where the newest is served first the oldest would be
// served last, so it is what goes.
func TestLifoShedsTheOldest(t *testing.T) {
	t.Parallel()
	w, holder := oneAtATime(lineTile, queueCaps{count: 3, bytes: gib, active: 1000})
	var a []*probe
	for range 4 {
		p := newProbe(lineTile, "a", mib)
		w.arrive(p)
		a = append(a, p)
		if len(a) == 3 {
			w.now += time.Second
			w.finish(holder)
			if p.grants != 1 {
				t.Fatal("the newest was not served")
			}
		}
	}
	w.arrive(newProbe(lineTile, "b", mib))
	if a[0].code != CodeQueueDisplaced {
		t.Errorf("shed: %q %q %q", a[0].code, a[1].code, a[3].code)
	}
}

func TestQueueBytesShedFromTheHeaviest(t *testing.T) {
	t.Parallel()
	w, _ := oneAtATime(lineFull, queueCaps{count: 100, bytes: 1000 * mib, active: 1000})
	var a []*probe
	for range 10 {
		p := newProbe(lineFull, "a", 100*mib)
		w.arrive(p)
		a = append(a, p)
	}
	b := newProbe(lineFull, "b", 250*mib)
	if code := w.arrive(b); code != "" {
		t.Fatalf("b: %q", code)
	}
	shed := 0
	for _, p := range a {
		shed += p.refusals
	}
	if shed != 3 || a[9].code != CodeQueueDisplaced || a[6].refusals != 0 {
		t.Errorf("%d shed", shed)
	}
	if code := w.arrive(newProbe(lineFull, "c", 800*mib)); code != CodeQueueFull {
		t.Errorf("c would have to shed more than the heaviest has: %q", code)
	}
	if code := w.arrive(newProbe(lineFull, "c", 1001*mib)); code != CodeQueueFull {
		t.Errorf("c exceeds the bound alone: %q", code)
	}
	if err := w.check(false); err != nil {
		t.Error(err)
	}
}

// TestHeaviestIsNotLeftWithLess: nobody is shed for bytes where that would
// leave the heaviest key with less than the newcomer's already has.
func TestHeaviestIsNotLeftWithLess(t *testing.T) {
	t.Parallel()
	w, _ := oneAtATime(lineFull, queueCaps{count: 100, bytes: 1000 * mib, active: 1000})
	for range 6 {
		w.arrive(newProbe(lineFull, "a", 100*mib))
	}
	w.arrive(newProbe(lineFull, "b", 400*mib))
	if code := w.arrive(newProbe(lineFull, "b", 300*mib)); code != CodeQueueFull {
		t.Errorf("b: %q", code)
	}
	if w.s.displaced != 0 {
		t.Errorf("%d were shed", w.s.displaced)
	}
}

func TestHeldBytesAreBoundedAndShared(t *testing.T) {
	t.Parallel()
	w, _ := oneAtATime(lineTile, queueCaps{count: 100, bytes: gib, held: 64 * mib, active: 1000})
	arrive := func(key string, held int64) Code {
		p := newProbe(lineTile, key, mib)
		p.held = held
		return w.arrive(p)
	}
	if code := arrive("a", 60*mib); code != "" {
		t.Errorf("alone: %q", code)
	}
	if code := arrive("b", 5*mib); code != CodeQueueHeldBytes {
		t.Errorf("over the bound: %q", code)
	}
	if code := arrive("b", 1*mib); code != "" {
		t.Errorf("within the bound: %q", code)
	}
	if code := arrive("a", 1*mib); code != CodeQueueHeldBytes {
		t.Errorf("a has more than a quarter while b waits: %q", code)
	}
}

func TestLaneCapsAndGlobalActive(t *testing.T) {
	t.Parallel()
	w, _ := oneAtATime(lineTile, queueCaps{count: 100, bytes: gib, active: 1000, laneCount: 3, laneBytes: 8 * mib})
	for range 3 {
		w.arrive(newProbe(lineTile, "a", mib))
	}
	if code := w.arrive(newProbe(lineTile, "a", mib)); code != CodeLaneFull {
		t.Errorf("a: %q", code)
	}
	if code := w.arrive(newProbe(lineTile, "b", 9*mib)); code != CodeLaneFull {
		t.Errorf("bytes: %q", code)
	}
	if code := w.arrive(newProbe(lineTile, "b", mib)); code != "" {
		t.Errorf("b: %q", code)
	}

	w, _ = oneAtATime(lineTile, queueCaps{count: 100, bytes: gib, active: 3})
	w.arrive(newProbe(lineTile, "a", mib))
	w.arrive(newProbe(lineTile, "a", mib))
	if code := w.arrive(newProbe(lineTile, "a", mib)); code != CodeGlobalActive {
		t.Errorf("one running and two waiting: %q", code)
	}
	if code := w.arrive(newProbe(lineTile, "b", mib)); code != "" {
		t.Errorf("displacement comes before a global refusal: %q", code)
	}
}
