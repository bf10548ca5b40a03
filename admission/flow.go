package admission

import "time"

// lifoAfter is the age of a key's oldest waiting tile from which that key is
// served newest first: its viewer has panned on.
const lifoAfter = 500 * time.Millisecond

// flow is the sub-queue of one key within a line. It exists only while
// somebody waits in it, so there are never more flows than waiters.
type flow struct {
	key         string
	oldest      *ticket
	newest      *ticket
	count       int
	bytes, held int64
	lifo        bool

	// start and finish are the virtual times of the head: what the key has
	// been served up to, and what it will have been with the head.
	start, finish int64

	pos [heapCount]int
}

// head is the waiter that is served next.
func (f *flow) head() *ticket {
	if f.lifo {
		return f.newest
	}
	return f.oldest
}

// last is the waiter that would be served last.
func (f *flow) last() *ticket {
	if f.lifo {
		return f.oldest
	}
	return f.newest
}

// tail counts the waiters, last served first and at least one, whose bytes
// together reach need.
func (f *flow) tail(need int64) (waiters int, bytes int64) {
	for t := f.last(); t != nil && (waiters == 0 || bytes < need); {
		waiters++
		bytes += t.bytes
		if f.lifo {
			t = t.next
		} else {
			t = t.prev
		}
	}
	return waiters, bytes
}

func (f *flow) push(t *ticket) {
	t.flow, t.prev, t.next = f, f.newest, nil
	if f.newest != nil {
		f.newest.next = t
	} else {
		f.oldest = t
	}
	f.newest = t
	f.count++
	f.bytes += t.bytes
	f.held += t.held
}

func (f *flow) remove(t *ticket) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		f.oldest = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		f.newest = t.prev
	}
	t.flow, t.prev, t.next = nil, nil, nil
	f.count--
	f.bytes -= t.bytes
	f.held -= t.held
}
