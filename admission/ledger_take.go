package admission

// Take books n bytes for a key, or returns false and books nothing. It is
// for callers that have another way when there is no room, so it is no
// refusal of a request. Give returns the bytes.
func (l *Ledger) Take(key string, n int64) bool {
	h := l.Hold(key)
	now := l.since()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.grow(h, n, now) == ""
}

// Give returns n bytes that Take booked for the key.
func (l *Ledger) Give(key string, n int64) {
	h := l.Hold(key)
	h.bytes = n
	h.Release()
}
