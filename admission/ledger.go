package admission

import (
	"sync"
	"time"
)

// wantedFor is how long a key that a ledger refused counts as one that waits.
const wantedFor = 10 * time.Second

// Ledger bounds bytes that are held outside decodes. Bytes are taken without
// waiting: who holds a part of what it needs must not wait for the rest.
// While another key was refused lately, one key gets at most a quarter. It is
// safe for use by several goroutines.
type Ledger struct {
	limit int64
	never Code // of what is larger than the ledger
	since func() time.Duration
	// refused counts a refusal, where it is one of a request.
	refused func(*Rejection)

	mu    sync.Mutex
	used  int64
	byKey map[string]int64
	// wanted is the last two keys that were refused and have not come
	// through since.
	wanted [2]struct {
		key string
		at  time.Duration
	}
}

// Hold is bytes taken from a ledger, for one key. It is not safe for use by
// several goroutines at once.
type Hold struct {
	ledger *Ledger
	key    string
	bytes  int64
}

func newLedger(limit int64, never Code, since func() time.Duration) *Ledger {
	return &Ledger{limit: limit, never: never, since: since, byKey: make(map[string]int64)}
}

// Hold starts an empty hold for a key; Grow takes bytes as they arrive.
// Release gives them back.
func (l *Ledger) Hold(key string) *Hold {
	if key == "" {
		key = Anonymous
	}
	return &Hold{ledger: l, key: key}
}

// Reserve takes n bytes for a key at once. The error is a *Rejection: for
// good where n exceeds the whole ledger, else for now.
func (l *Ledger) Reserve(key string, n int64) (*Hold, error) {
	h := l.Hold(key)
	if err := h.Grow(n); err != nil {
		return nil, err
	}
	return h, nil
}

// Grow takes n more bytes, or none and a *Rejection.
func (h *Hold) Grow(n int64) error {
	l := h.ledger
	now := l.since()
	l.mu.Lock()
	code := l.grow(h, n, now)
	l.mu.Unlock()
	if code == "" {
		return nil
	}
	r := &Rejection{Code: code, Lane: LaneFull, Bytes: h.bytes + n, Limit: l.limit}
	if code.Kind() != KindNever {
		r.RetryAfter = time.Second
	}
	if l.refused != nil {
		l.refused(r)
	}
	return r
}

func (l *Ledger) grow(h *Hold, n int64, now time.Duration) Code {
	switch {
	case n < 0 || !fits(h.bytes, n, l.limit):
		return l.never
	case !fits(l.used, n, l.limit) || (l.contended(h.key, now) && !fits(l.byKey[h.key], n, l.limit/4)):
		l.want(h.key, now)
		return CodeQueueHeldBytes
	}
	for i := range l.wanted {
		if l.wanted[i].key == h.key {
			l.wanted[i].key = ""
		}
	}
	if n > 0 {
		l.used += n
		l.byKey[h.key] += n
		h.bytes += n
	}
	return ""
}

// contended tells whether another key was refused lately.
func (l *Ledger) contended(key string, now time.Duration) bool {
	for _, w := range l.wanted {
		if w.key != "" && w.key != key && now-w.at < wantedFor {
			return true
		}
	}
	return false
}

// want remembers that a key was refused.
func (l *Ledger) want(key string, now time.Duration) {
	if l.wanted[0].key != key {
		l.wanted[1] = l.wanted[0]
	}
	l.wanted[0].key, l.wanted[0].at = key, now
}

// Bytes returns what is held.
func (h *Hold) Bytes() int64 { return h.bytes }

// Release gives all bytes back. A second call does nothing.
func (h *Hold) Release() {
	l := h.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used -= h.bytes
	if l.byKey[h.key] -= h.bytes; l.byKey[h.key] <= 0 {
		delete(l.byKey, h.key)
	}
	h.bytes = 0
}

// InUse returns the bytes held and the ledger's limit.
func (l *Ledger) InUse() (used, limit int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.limit
}

// countLedger counts a refusal of a ledger that ended a request.
func (c *Controller) countLedger(r *Rejection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.RetryAfter = c.retryAfterLocked(r.Code, r.Lane, 0)
	c.shed[r.Code]++
	c.metrics.rejected(r.Lane, r.Code)
}
