package cache

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// blobOverhead is booked for each blob beside its bytes: the structs, the
// map's cell, the key's strings.
const blobOverhead = 512

// blob is a whole answer in memory, immutable but for its bookkeeping.
type blob struct {
	key    Key
	id     id
	note   string
	made   time.Time
	n      int64
	chunks [][]byte // of blockBytes each but for the last

	// refs counts readers and the tier; the last one to leave calls free,
	// which gives the booked bytes back.
	refs atomic.Int32
	free func()

	prev, next *blob // guarded by memory.mu
}

func (b *blob) cost() int64 { return b.n + blobOverhead }

func (b *blob) view(_ *Reader, off int64) ([]byte, error) {
	if off >= b.n {
		return nil, io.EOF
	}
	return b.chunks[off/blockBytes][off%blockBytes:], nil
}

func (b *blob) length() (int64, bool) { return b.n, true }

func (b *blob) leave(*Reader) { b.drop() }

func (b *blob) drop() {
	if b.refs.Add(-1) == 0 {
		b.free()
	}
}

func (b *blob) reader() *Reader { return &Reader{note: b.note, content: b} }

// memory is the memory tier: least recently used goes first, weighed in
// bytes. A blob that is evicted while it is read stays booked until its last
// reader has left, so the limit bounds what is really held.
type memory struct {
	m *metrics

	mu     sync.Mutex
	limit  int64
	booked int64 // listed and still read
	listed int64
	blobs  map[id]*blob
	root   blob // of the list: next is the most recent
}

func newMemory(limit int64, m *metrics) *memory {
	t := &memory{m: m, limit: limit, blobs: make(map[id]*blob)}
	t.root.prev, t.root.next = &t.root, &t.root
	t.m.limit.WithLabelValues(tierMemory).Set(float64(limit))
	return t
}

// get returns the blob with a reference for the caller, or nil.
func (t *memory) get(i id) *blob {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.blobs[i]
	if b == nil {
		return nil
	}
	b.refs.Add(1)
	unlink(b)
	t.linkLocked(b)
	return b
}

func (t *memory) has(i id) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.blobs[i] != nil
}

// add takes a blob that nobody else has seen, and books it. It refuses one
// that does not fit beside those that are being read.
func (t *memory) add(b *blob) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.blobs[b.id]; old != nil {
		t.removeLocked(old)
	}
	if b.n > AnswerBytes || t.booked-t.listed+b.cost() > t.limit {
		return false
	}
	t.evictLocked(t.limit - b.cost())
	if t.booked+b.cost() > t.limit {
		return false
	}
	b.free = func() { t.release(b.cost()) }
	b.refs.Add(1)
	t.booked += b.cost()
	t.listed += b.cost()
	t.blobs[b.id] = b
	t.linkLocked(b)
	t.showLocked()
	return true
}

// evictLocked drops the oldest blobs until at most limit bytes are booked or
// none is left.
func (t *memory) evictLocked(limit int64) {
	for t.booked > limit && t.root.prev != &t.root {
		t.removeLocked(t.root.prev)
		t.m.evictions.WithLabelValues(tierMemory).Inc()
	}
}

func (t *memory) removeLocked(b *blob) {
	delete(t.blobs, b.id)
	unlink(b)
	t.listed -= b.cost()
	if b.refs.Add(-1) == 0 {
		t.booked -= b.cost()
	}
	t.showLocked()
}

// release is called when the last reader of an evicted blob has left.
func (t *memory) release(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.booked -= n
	t.showLocked()
}

func (t *memory) resize(limit int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit = limit
	t.evictLocked(limit)
	t.m.limit.WithLabelValues(tierMemory).Set(float64(limit))
}

// purge drops the blobs that match.
func (t *memory) purge(match func(*blob) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.blobs {
		if match(b) {
			t.removeLocked(b)
		}
	}
}

func (t *memory) stat() (entries int, bytes, limit int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.blobs), t.booked, t.limit
}

func (t *memory) showLocked() {
	t.m.bytes.WithLabelValues(tierMemory).Set(float64(t.booked))
	t.m.entries.WithLabelValues(tierMemory).Set(float64(len(t.blobs)))
}

func (t *memory) linkLocked(b *blob) {
	b.prev, b.next = &t.root, t.root.next
	b.prev.next, b.next.prev = b, b
}

func unlink(b *blob) {
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
}
