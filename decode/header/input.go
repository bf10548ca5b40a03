package header

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"example.com/iiifd/decode/plan"
)

const (
	// window is how much one read fetches: headers cluster, and a page of
	// the page cache costs hardly more than a byte of it.
	window = 4 << 10
	// maxSpan is the longest piece any reader may ask for at once.
	maxSpan = 64 << 10
	// maxReads bounds the reads of one file, so that a chain of scattered
	// pointers ends.
	maxReads = 1 << 14
)

// errScattered tells that maxReads was reached.
var errScattered = errors.New("header: too many reads")

// input gives bounded access to a file: no read leaves it, none is longer
// than maxSpan, and there are at most maxReads of them.
type input struct {
	r      io.ReaderAt
	size   int64
	loader plan.Loader

	buf   []byte // what was read last
	off   int64  // where buf lies in the file
	reads int
}

func newInput(r io.ReaderAt, size int64) *input {
	return &input{r: r, size: max(0, size)}
}

func (in *input) corrupt(format string, args ...any) error {
	return &CorruptError{Loader: in.loader, Reason: fmt.Sprintf(format, args...)}
}

// at returns the n bytes at off. They are valid until the next call and must
// not be changed.
func (in *input) at(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 || off > in.size || int64(n) > in.size-off {
		return nil, in.corrupt("it ends before byte %d", off)
	}
	if n > maxSpan {
		return nil, in.corrupt("a header part of %d bytes", n)
	}
	if off >= in.off && off+int64(n) <= in.off+int64(len(in.buf)) {
		return in.buf[off-in.off:][:n], nil
	}
	if err := in.fetch(off, max(n, window)); err != nil {
		return nil, err
	}
	if len(in.buf) < n {
		return nil, in.corrupt("it ends before byte %d", off+int64(n))
	}
	return in.buf[:n], nil
}

// upTo is at for as many of the n bytes as the file has.
func (in *input) upTo(off int64, n int) ([]byte, error) {
	return in.at(off, int(min(int64(n), max(0, in.size-off))))
}

// fetch fills the window from off.
func (in *input) fetch(off int64, n int) error {
	if in.reads++; in.reads > maxReads {
		return errors.Join(in.corrupt("its header is scattered over too many places"), errScattered)
	}
	n = int(min(int64(n), in.size-off))
	if cap(in.buf) < n {
		in.buf = make([]byte, n)
	}
	in.buf = in.buf[:n]
	in.off = off
	got, err := in.r.ReadAt(in.buf, off)
	in.buf = in.buf[:got]
	if got < n && err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("header: read: %w", err)
	}
	return nil
}

func (in *input) u8(off int64) (byte, error) {
	b, err := in.at(off, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (in *input) be16(off int64) (uint16, error) {
	b, err := in.at(off, 2)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint16(b), nil
}

// span is a run of bytes of the file, or one in memory.
type span struct {
	off, len int64
	mem      []byte
}

// within returns the n bytes at off of the span.
func (in *input) within(s span, off int64, n int) ([]byte, error) {
	if off < 0 || off > s.len || int64(n) > s.len-off {
		return nil, in.corrupt("a pointer out of its block")
	}
	if s.mem != nil {
		return s.mem[off:][:n], nil
	}
	return in.at(s.off+off, n)
}
