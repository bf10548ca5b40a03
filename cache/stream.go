package cache

import (
	"fmt"
	"io"
	"sync"
)

// stream is one answer from its first byte until it is whole: first in
// memory, then, where it is large, in a spool file, and in memory again where
// the file takes no more. The bytes [0, inFile) are in the file and [base,
// size) in chunks; base is inFile until the ledger is exhausted and the
// writer begins to drop what all readers are done with.
type stream struct {
	ledger Ledger
	// ended returns the cause when the fill's context has ended.
	ended func() error

	mu      sync.Mutex
	moved   sync.Cond
	readers map[*Reader]struct{}
	spool   *spool
	inFile  int64
	chunks  [][]byte
	base    int64
	size    int64
	slid    bool // [inFile, base) is gone
	whole   bool
	err     error // the answer will never be whole
	held    int64 // booked with the ledger
	settled bool  // the fill, and the storing of its answer, is over
}

func newStream(ledger Ledger, ended func() error) *stream {
	s := &stream{ledger: ledger, ended: ended, readers: make(map[*Reader]struct{})}
	s.moved.L = &s.mu
	return s
}

// attach adds a reader at the beginning, unless that cannot be served any
// more.
func (s *stream) attach(r *Reader) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slid || s.err != nil || s.settled {
		return false
	}
	s.readers[r] = struct{}{}
	return true
}

// detach removes a reader and tells whether the fill now works for nobody.
// The caller drops the spool file that it returns, outside all mutexes.
func (s *stream) detach(r *Reader) (useless bool, unused *spool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readers, r)
	s.moved.Broadcast()
	return len(s.readers) == 0 && !s.whole && s.err == nil, s.freeLocked()
}

// view waits for the byte at off.
func (s *stream) view(r *Reader, off int64) ([]byte, error) {
	s.mu.Lock()
	r.asked = off
	if s.slid {
		s.moved.Broadcast()
	}
	for !r.closed.Load() && s.err == nil && !s.whole && off >= s.size {
		s.moved.Wait()
	}
	switch {
	case r.closed.Load():
		s.mu.Unlock()
		return nil, ErrClosed
	case s.err != nil:
		defer s.mu.Unlock()
		return nil, fmt.Errorf("the answer broke off: %w", s.err)
	case off >= s.size:
		s.mu.Unlock()
		return nil, io.EOF
	case off >= s.inFile:
		defer s.mu.Unlock()
		at := off - s.base
		return s.chunks[at/blockBytes][at%blockBytes:], nil
	}
	file, n := s.spool, min(s.inFile-off, blockBytes)
	s.mu.Unlock()
	if r.buf == nil {
		r.buf = make([]byte, blockBytes)
	}
	if err := readFull(file.f, r.buf[:n], file.at+off); err != nil {
		if r.closed.Load() {
			return nil, ErrClosed
		}
		return nil, fmt.Errorf("reading a spooled answer: %w", err)
	}
	return r.buf[:n], nil
}

func (s *stream) length() (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size, s.whole && !s.slid
}

// reserve books a block with the ledger.
func (s *stream) reserve() bool {
	if !s.ledger.Reserve(blockBytes) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += blockBytes
	return true
}

// unreserve returns n bytes that are booked and not used.
func (s *stream) unreserve(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= n
	s.ledger.Release(n)
}

// push appends a block to the part in memory. Each but the last is full.
func (s *stream) push(block []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks = append(s.chunks, block)
	s.size += int64(len(block))
	s.moved.Broadcast()
}

// spooled says that the first n bytes are in the file, all that there are.
// It returns the chunks that held them.
func (s *stream) spooled(file *spool, n int64) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.chunks
	s.spool, s.inFile, s.base, s.size, s.chunks = file, n, n, n, nil
	if s.held > 0 {
		s.ledger.Release(s.held)
		s.held = 0
	}
	s.moved.Broadcast()
	return old
}

// slide drops the oldest block in memory once every reader is done with it:
// here the writer waits for its readers. The block's booking is the next
// one's. It returns the cause if the fill's context ends first.
func (s *stream) slide() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.chunks) == 0 {
		return nil
	}
	s.slid = true
	for s.slowestLocked() < s.base+blockBytes {
		if err := s.ended(); err != nil {
			return err
		}
		s.moved.Wait()
	}
	s.chunks[0] = nil
	s.chunks = s.chunks[1:]
	s.base += blockBytes
	return nil
}

func (s *stream) slowestLocked() int64 {
	slowest := s.size
	for r := range s.readers {
		slowest = min(slowest, r.asked)
	}
	return slowest
}

// wake makes who waits look at the state again.
func (s *stream) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved.Broadcast()
}

// end says that the answer is whole, or why it never will be.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole, s.err = err == nil, err
	s.moved.Broadcast()
}

// settle says that only readers need the bytes now. It returns as detach.
func (s *stream) settle() (unused *spool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = true
	return s.freeLocked()
}

// freeLocked gives everything back when nobody is left.
func (s *stream) freeLocked() (unused *spool) {
	if !s.settled || len(s.readers) > 0 {
		return nil
	}
	if s.held > 0 {
		s.ledger.Release(s.held)
	}
	unused = s.spool
	s.held, s.spool, s.chunks = 0, nil, nil
	return unused
}
