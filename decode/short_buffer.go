package decode

import "sync"

// buffer is a piece of memory that is used again.
type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// newBuffer returns a buffer of n bytes of any content. free it.
func newBuffer(n int) *buffer {
	b, _ := buffers.Get().(*buffer)
	if cap(b.b) < n {
		b.b = make([]byte, n)
	}
	b.b = b.b[:n]
	return b
}

// copied returns a buffer with the content of b.
func copied(b []byte) *buffer {
	c := newBuffer(len(b))
	copy(c.b, b)
	return c
}

// keptBuffer is the largest buffer that is used again.
const keptBuffer = 2 << 20

func (b *buffer) free() {
	if cap(b.b) <= keptBuffer {
		buffers.Put(b)
	}
}
