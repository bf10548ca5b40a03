package admission

import "sync"

// Ledger bounds bytes that are held outside decodes. Bytes are taken without
// waiting: who holds a part of what it needs must not wait for the rest.
// While several keys hold or want bytes, one key holds at most a quarter. It
// is safe for use by several goroutines.
type Ledger struct {
	limit int64
	never Code // of what is larger than the ledger
	c     *Controller

	mu     sync.Mutex
	used   int64
	byKey  map[string]int64
	wanted map[string]int // keys that were refused and have not come through since
}

// newLedger returns a ledger of limit bytes.
func newLedger(limit int64, never Code, c *Controller) *Ledger {
	return &Ledger{limit: limit, never: never, c: c, byKey: make(map[string]int64), wanted: make(map[string]int)}
}

// Hold is bytes taken from a ledger, for one key. It is not safe for use by
// several goroutines at once.
type Hold struct {
	ledger *Ledger
	key    string
	bytes  int64
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
	l.mu.Lock()
	code := l.grow(h, n)
	l.mu.Unlock()
	if code == "" {
		return nil
	}
	return l.c.rejectBytes(code, h.bytes+n, l.limit)
}

func (l *Ledger) grow(h *Hold, n int64) Code {
	switch {
	case n < 0 || h.bytes+n > l.limit:
		return l.never
	case !fits(l.used, n, l.limit) || (l.contended(h.key) && !fits(l.byKey[h.key], n, l.limit/4)):
		l.want(h.key)
		return CodeQueueHeldBytes
	}
	delete(l.wanted, h.key)
	if n > 0 {
		l.used += n
		l.byKey[h.key] += n
		h.bytes += n
	}
	return ""
}

// contended tells whether another key was refused and still has nothing.
func (l *Ledger) contended(key string) bool {
	if l.wanted[key] > 0 {
		return len(l.wanted) > 1
	}
	return len(l.wanted) > 0
}

// want remembers that a key was refused. The memory is bounded; it ends when
// the key is served or the ledger is empty.
func (l *Ledger) want(key string) {
	const most = 1024
	if len(l.wanted) < most || l.wanted[key] > 0 {
		l.wanted[key]++
	}
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
	if l.used == 0 {
		clear(l.wanted)
	}
}

// InUse returns the bytes held and the ledger's limit.
func (l *Ledger) InUse() (used, limit int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.limit
}

// rejectBytes counts and describes a refusal of a ledger.
func (c *Controller) rejectBytes(code Code, bytes, limit int64) *Rejection {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shed[code]++
	c.metrics.rejected(LaneFull, code)
	return &Rejection{
		Code: code, Lane: LaneFull, Bytes: bytes, Limit: limit,
		RetryAfter: c.retryAfterLocked(code, LaneFull, 0),
	}
}
