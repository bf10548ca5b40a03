package admission

import "time"

// window is an exact sliding log: the instants of the last grants, on the
// monotonic clock, in a ring that grows as far as its limit. There are never
// more grants than the limit within any interval [t, t+span).
type window struct {
	span  time.Duration
	limit int
	ring  []time.Duration
	first int
	count int
}

// expire forgets what is older than the span.
func (w *window) expire(now time.Duration) {
	for w.count > 0 && now-w.ring[w.first] >= w.span {
		w.first = (w.first + 1) % len(w.ring)
		w.count--
	}
}

// used returns the number of grants within the span before now.
func (w *window) used(now time.Duration) int {
	w.expire(now)
	return w.count
}

// add notes a grant. The caller has seen that there is room; one beyond the
// limit takes the place of the oldest.
func (w *window) add(now time.Duration) {
	w.expire(now)
	if w.count == len(w.ring) {
		w.grow()
	}
	if w.count == len(w.ring) {
		w.first = (w.first + 1) % len(w.ring)
		w.count--
	}
	w.ring[(w.first+w.count)%len(w.ring)] = now
	w.count++
}

func (w *window) grow() {
	bigger := make([]time.Duration, min(max(2*len(w.ring), 8), w.limit))
	if len(bigger) <= len(w.ring) {
		return
	}
	for i := range w.count {
		bigger[i] = w.ring[(w.first+i)%len(w.ring)]
	}
	w.ring, w.first = bigger, 0
}

// free returns when the window will have room again, given that reserved
// grants are still to come: the exact time until its oldest entry expires.
func (w *window) free(now time.Duration) time.Duration {
	w.expire(now)
	if w.count == 0 {
		return 0
	}
	return w.ring[w.first] + w.span - now
}
