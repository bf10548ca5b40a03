package lua

import (
	"errors"
	"io"
	"os"
	"sync"
)

// spoolMemory is how much of a response is kept in memory, in bytes; a
// longer one goes to a file as a whole.
const spoolMemory = 256 << 10

// maxResponse bounds what a script may send, in bytes.
const maxResponse = 1 << 30

// spool is a response's body between a script, which writes at its own
// speed, and its client, who may be slow. One goroutine writes, another
// reads at the same time.
type spool struct {
	dir string

	mu     sync.Mutex
	more   *sync.Cond
	memory []byte
	file   *os.File
	size   int64
	ended  bool
	err    error // what ended it, nil for a whole body
	closed bool
}

func newSpool(dir string) *spool {
	s := &spool{dir: dir}
	s.more = sync.NewCond(&s.mu)
	return s
}

// Write appends.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+int64(len(p)) > maxResponse {
		return 0, errors.New("response is too large")
	}
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	if s.file == nil && s.size+int64(len(p)) > spoolMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.memory = append(s.memory, p...)
	} else if _, err := s.file.WriteAt(p, s.size); err != nil {
		return 0, errors.New("response cannot be stored")
	}
	s.size += int64(len(p))
	s.more.Broadcast()
	return len(p), nil
}

// spill moves what there is into a file that has no name.
func (s *spool) spill() error {
	f, err := os.CreateTemp(s.dir, "response-*")
	if err != nil {
		return errors.New("response cannot be stored")
	}
	_ = os.Remove(f.Name())
	if _, err := f.WriteAt(s.memory, 0); err != nil {
		_ = f.Close()
		return errors.New("response cannot be stored")
	}
	s.file, s.memory = f, nil
	return nil
}

// end says that nothing will follow; err is what a reader meets there.
func (s *spool) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.err = true, err
	s.more.Broadcast()
}

// written is the number of bytes so far.
func (s *spool) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// readAt reads at an offset, waiting for bytes.
func (s *spool) readAt(p []byte, offset int64) (int, error) {
	s.mu.Lock()
	for offset >= s.size && !s.ended && !s.closed {
		s.more.Wait()
	}
	if s.closed || offset >= s.size {
		defer s.mu.Unlock()
		switch {
		case s.closed:
			return 0, io.ErrClosedPipe
		case s.err != nil:
			return 0, s.err
		}
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.size-offset))
	file := s.file
	if file == nil {
		n = copy(p, s.memory[offset:])
		s.mu.Unlock()
		return n, nil
	}
	s.mu.Unlock()
	return file.ReadAt(p[:n], offset)
}

func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed, s.memory = true, nil
		if s.file != nil {
			_ = s.file.Close()
		}
		s.more.Broadcast()
	}
}
