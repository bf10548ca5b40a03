package cache

import (
	"errors"
	"io"
	"sync/atomic"
)

// content is where a Reader's bytes are: in memory, in a file, or still
// growing.
type content interface {
	// view returns at least one byte from offset off, or io.EOF, or waits.
	// It tells the content that the reader is done with everything before
	// off. The bytes may be in the reader's buffer and are valid until the
	// reader's next call.
	view(r *Reader, off int64) ([]byte, error)
	// length returns the number of bytes if it is known and all of them can
	// still be read.
	length() (n int64, known bool)
	// leave is called once, when the reader closes.
	leave(r *Reader)
}

// Reader reads one answer from its beginning. It must be closed. Its methods
// are for one goroutine, except Close, which may be called from any and more
// than once, and makes a waiting Read return ErrClosed.
//
// An entry that is evicted or purged stays readable for those who have it
// open. A Read error other than io.EOF means that the answer will never be
// whole: whoever has passed bytes on must break the transfer off.
type Reader struct {
	note    string
	content content
	pos     int64
	closed  atomic.Bool

	// buf holds the block bufAt of a file.
	buf   []byte
	bufAt int64

	// asked is guarded by the stream's mutex: bytes before it are done with.
	asked int64
}

// Note returns what the fill said about the answer with SetNote.
func (r *Reader) Note() string { return r.note }

// Size returns the answer's length in bytes, if it is whole and seekable.
func (r *Reader) Size() (n int64, known bool) { return r.content.length() }

// Read implements io.Reader. It waits where the answer still grows.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := r.next()
	if err != nil {
		return 0, err
	}
	n := copy(p, b)
	r.pos += int64(n)
	return n, nil
}

// WriteTo implements io.WriterTo. Answers in memory are written without a
// copy, at most 64 KiB at a time.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for {
		b, err := r.next()
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		n, err := w.Write(b)
		r.pos += int64(n)
		total += int64(n)
		if err != nil {
			return total, err
		}
		if n < len(b) {
			return total, io.ErrShortWrite
		}
	}
}

func (r *Reader) next() ([]byte, error) {
	if r.closed.Load() {
		return nil, ErrClosed
	}
	return r.content.view(r, r.pos)
}

// Seek implements io.Seeker where Size is known, else it returns
// ErrNotSeekable.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	n, known := r.content.length()
	if !known {
		return 0, ErrNotSeekable
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.pos
	case io.SeekEnd:
		offset += n
	default:
		return 0, errors.New("cache: seek from nowhere")
	}
	if offset < 0 {
		return 0, errors.New("cache: seek before the beginning")
	}
	r.pos = offset
	return offset, nil
}

// Close gives the answer back. After a nested Do it waits until the fill has
// returned, so that the caller's lease outlives the work done under it.
func (r *Reader) Close() error {
	if r.closed.CompareAndSwap(false, true) {
		r.content.leave(r)
	}
	return nil
}
