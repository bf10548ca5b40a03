package cache

import (
	"slices"
	"sync"
)

// writerMode is where a writer's full blocks go.
type writerMode int

const (
	buffering writerMode = iota // memory, not yet published
	spooling                    // a file, published
	streaming                   // memory, published
)

// Writer takes an answer from its fill. Its methods may be called until the
// fill returns, by one goroutine at a time.
//
// Up to AnswerBytes are kept in memory and published whole, with a size.
// What is longer goes to a spool file and can be read while it grows: then
// Write never waits for a reader. Where no file can be had, the ledger's
// memory serves, and beyond it Write waits for the slowest reader. One block
// of 64 KiB is held without a booking, so that every fill gets on.
type Writer struct {
	f *flight
	s *stream

	mu     sync.Mutex
	mode   writerMode
	block  []byte // being filled
	note   string
	spool  *spool
	closed bool
	err    error // of the first Write that failed
}

// SetNote stores a few words beside the answer, such as what the header of
// the response needs; every Reader of it returns them. It must come before
// the first Write. The note and the key have 64 KiB at most, else the answer
// is not stored on disk.
func (w *Writer) SetNote(note string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note = note
}

// Admitted says that the fill holds what it needs to finish (its lease), so
// that nested calls, and callers whose leader was refused, may join it. An
// error means that another fill of the same key got there first: the fill
// must release what it holds and return the error, and its callers will be
// served by the other one.
func (w *Writer) Admitted() error { return w.f.admit() }

// Write appends to the answer. Its errors are the end of the fill's context
// and ErrClosed, never a fault of the disk. After one, the fill has failed,
// whatever it returns.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, ErrClosed
	}
	if w.err != nil {
		return 0, w.err
	}
	written := 0
	for len(p) > 0 {
		if w.block == nil || len(w.block) == cap(w.block) {
			if w.err = w.turn(); w.err != nil {
				return written, w.err
			}
		}
		n := copy(w.block[len(w.block):cap(w.block)], p)
		w.block = w.block[:len(w.block)+n]
		p = p[n:]
		written += n
	}
	return written, nil
}

// turn passes the full block on and provides an empty one.
func (w *Writer) turn() error {
	if err := w.s.ended(); err != nil {
		return err
	}
	if w.block != nil {
		w.pass()
	}
	if w.mode == buffering {
		if w.s.size < AnswerBytes && w.s.reserve() {
			w.block = w.f.c.newBlock()
			return nil
		}
		w.spill()
	}
	if w.mode == spooling {
		if w.block == nil {
			w.block = w.f.c.newBlock()
		}
		w.block = w.block[:0]
		return nil
	}
	if !w.s.reserve() {
		if err := w.s.slide(); err != nil {
			return err
		}
	}
	w.block = w.f.c.newBlock()
	return nil
}

// pass hands the block to where the mode says. In spooling mode the block
// stays the writer's.
func (w *Writer) pass() {
	if w.mode == spooling {
		if err := w.spool.write(w.block); err == nil {
			w.s.spooled(w.spool, w.spool.n)
			return
		}
		w.spool.abandon()
		w.mode = streaming
	}
	w.s.push(w.block)
	w.block = nil
}

// spill ends the buffering: what there is goes to a spool file, or stays in
// memory where there is none, and is published.
func (w *Writer) spill() {
	defer w.f.publish(w.note)
	w.mode = streaming
	file, err := w.f.c.disk.create(w.f.key, w.note)
	if err != nil {
		return
	}
	for _, block := range w.s.chunks {
		if err := file.write(block); err != nil {
			file.abandon()
			file.drop()
			return
		}
	}
	w.spool, w.mode = file, spooling
	for _, block := range w.s.spooled(file, file.n) {
		w.f.c.recycle(block)
	}
}

// close ends the writing, after which every Write fails.
func (w *Writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

// finish passes the last block on. It returns errEmpty where there was none:
// nobody asks for an image of no bytes.
func (w *Writer) finish() error {
	if w.err != nil {
		return w.err
	}
	if w.block == nil && w.s.size == 0 {
		return errEmpty
	}
	if w.mode != spooling && cap(w.block) > len(w.block) {
		trimmed := slices.Clip(slices.Clone(w.block))
		w.f.c.recycle(w.block)
		w.block = trimmed
		if w.mode == buffering {
			w.s.unreserve(blockBytes - int64(len(trimmed)))
		}
	}
	if len(w.block) > 0 {
		w.pass()
	}
	if w.mode == spooling {
		if err := w.spool.finish(); err != nil {
			w.spool.abandon()
		}
	}
	return nil
}
