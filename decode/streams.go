package decode

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// input is a source as libvips reads it: an io.ReaderAt with a position. It
// keeps the first error, which libvips only passes on as a failed read.
type input struct {
	at   io.ReaderAt
	size int64
	// steady is for decoders that end the process where a read fails
	// (libheif, box.cc asserts it): they get zeros, and whoever uses what
	// they make of those must look at failure.
	steady bool

	mu     sync.Mutex
	offset int64
	err    error
}

// read fills p from the present position; 0 at the end, -1 on error.
func (in *input) read(p []byte) (n int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.steady {
		defer in.level(p, &n)
	}
	defer rescue(&in.err, &n)
	if in.err != nil {
		return -1
	}
	if in.offset >= in.size {
		return 0
	}
	if rest := in.size - in.offset; int64(len(p)) > rest {
		p = p[:rest]
	}
	got, err := in.at.ReadAt(p, in.offset)
	in.offset += int64(got)
	if got == 0 && err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file is shorter than it was
		}
		in.err = err
		return -1
	}
	return int64(got)
}

// level makes a read of p that got nothing one of zeros, and keeps the error.
func (in *input) level(p []byte, n *int64) {
	if *n > 0 || len(p) == 0 {
		return
	}
	if in.err == nil {
		in.err = io.ErrUnexpectedEOF
	}
	clear(p)
	in.offset += int64(len(p))
	*n = int64(len(p))
}

// seek moves the position as lseek does and returns it, -1 on error.
func (in *input) seek(offset int64, whence int) int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += in.offset
	case io.SeekEnd:
		offset += in.size
	}
	if offset < 0 {
		return -1
	}
	in.offset = offset
	return offset
}

// fail makes every later read fail with err.
func (in *input) fail(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil {
		in.err = err
	}
}

func (in *input) failure() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// output is a writer as libvips writes to it, keeping the first error.
type output struct {
	w  io.Writer
	mu sync.Mutex

	err error
}

func (out *output) write(p []byte) (n int64) {
	out.mu.Lock()
	defer out.mu.Unlock()
	defer rescue(&out.err, &n)
	if out.err != nil {
		return -1
	}
	written, err := out.w.Write(p)
	if err != nil {
		out.err = err
		return -1
	}
	return int64(written)
}

// Write lets Go code write to out as libvips does.
func (out *output) Write(p []byte) (int, error) {
	if n := out.write(p); n < 0 {
		return 0, out.failure()
	}
	return len(p), nil
}

// fail makes every later write fail with err.
func (out *output) fail(err error) {
	out.mu.Lock()
	defer out.mu.Unlock()
	if out.err == nil {
		out.err = err
	}
}

func (out *output) failure() error {
	out.mu.Lock()
	defer out.mu.Unlock()
	return out.err
}

// rescue turns a panic of a foreign reader or writer into an error: below
// it are C frames, which no panic may cross.
func rescue(err *error, n *int64) {
	if r := recover(); r != nil {
		*err, *n = fmt.Errorf("panic in stream: %v", r), -1
	}
}

//export iiifdRead
func iiifdRead(handle C.uintptr_t, buffer unsafe.Pointer, length C.gint64) C.gint64 {
	if length <= 0 {
		return 0
	}
	in, ok := cgo.Handle(handle).Value().(*input)
	if !ok {
		return -1
	}
	return C.gint64(in.read(unsafe.Slice((*byte)(buffer), int(length))))
}

//export iiifdSeek
func iiifdSeek(handle C.uintptr_t, offset C.gint64, whence C.int) C.gint64 {
	in, ok := cgo.Handle(handle).Value().(*input)
	if !ok {
		return -1
	}
	return C.gint64(in.seek(int64(offset), int(whence)))
}

//export iiifdWrite
func iiifdWrite(handle C.uintptr_t, data unsafe.Pointer, length C.gint64) C.gint64 {
	if length <= 0 {
		return 0
	}
	out, ok := cgo.Handle(handle).Value().(*output)
	if !ok {
		return -1
	}
	return C.gint64(out.write(unsafe.Slice((*byte)(data), int(length))))
}
