package admission

import "time"

// line is the queue of one kind of work: sub-queues by key, served by
// self-clocked fair queueing (Golestani, INFOCOM 1994). The clock is the
// virtual finish time of the last head served; a key that starts to wait
// starts at the clock, so it is neither owed nor owing for the time it was
// away, and nothing has to be remembered about it.
type line struct {
	flows map[string]*flow
	heaps [heapCount]flowHeap
	clock int64

	// minCost is the least that a grant counts, so that small work pays for
	// the permit it takes. equal counts every grant the same.
	minCost int64
	equal   bool
	// turns tells that keys whose oldest waiter is old are served newest
	// first.
	turns bool

	count       int
	bytes, held int64
}

func newLine(minCost int64, equal, turns bool) *line {
	l := &line{flows: make(map[string]*flow), minCost: max(minCost, 1), equal: equal, turns: turns}
	for id := range l.heaps {
		l.heaps[id].id = heapID(id)
	}
	return l
}

func (l *line) cost(t *ticket) int64 {
	if l.equal {
		return l.minCost
	}
	return max(t.bytes, l.minCost)
}

func (l *line) push(t *ticket) {
	l.count++
	l.bytes += t.bytes
	l.held += t.held
	f := l.flows[t.key]
	if f == nil {
		f = &flow{key: t.key, start: l.clock}
		f.push(t)
		f.finish = f.start + l.cost(t)
		l.flows[t.key] = f
		for id := range l.heaps {
			l.heaps[id].push(f)
		}
		return
	}
	f.push(t)
	l.refresh(f)
}

// remove takes a waiting ticket out without serving it.
func (l *line) remove(t *ticket) {
	f := t.flow
	f.remove(t)
	l.count--
	l.bytes -= t.bytes
	l.held -= t.held
	if f.count > 0 {
		l.refresh(f)
		return
	}
	for id := range l.heaps {
		l.heaps[id].remove(f)
	}
	delete(l.flows, f.key)
	if l.count == 0 {
		l.clock = 0
	}
}

// serve takes a waiting ticket out and counts it as served.
func (l *line) serve(t *ticket) {
	f := t.flow
	f.start += l.cost(t)
	l.clock = max(l.clock, f.start)
	l.remove(t)
}

// refresh puts a flow right in every order after its waiters changed.
func (l *line) refresh(f *flow) {
	f.finish = f.start + l.cost(f.head())
	for id := range l.heaps {
		l.heaps[id].fix(f)
	}
}

// first returns the head that fairness serves next; the line is not empty.
func (l *line) first(now time.Duration) *ticket {
	for {
		f := l.heaps[byFinish].top()
		lifo := l.turns && now-f.oldest.since > lifoAfter
		if f.lifo == lifo {
			return f.head()
		}
		f.lifo = lifo
		l.refresh(f)
	}
}

// smallest returns the smallest head; the line is not empty.
func (l *line) smallest() *ticket { return l.heaps[bySize].top().head() }

// waiting returns how many of a key wait, and their bytes and held bytes.
func (l *line) waiting(key string) (count int, bytes, held int64) {
	if f := l.flows[key]; f != nil {
		return f.count, f.bytes, f.held
	}
	return 0, 0, 0
}
