package cache

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// stored is an entry opened on disk. What it serves was checked against its
// checksums, block by block.
type stored struct {
	layout
	f    *os.File
	info os.FileInfo
	// broken is called when a block does not match; may be nil.
	broken func(*stored, error)
	once   sync.Once
}

// openStored opens an entry's file and checks header and trailer. Errors are
// errDamaged or the file system's; for a damaged file, stored is returned
// too, open, for who wants to remove it.
func openStored(path string) (*stored, error) {
	// O_NONBLOCK: a pipe under an entry's name must not hang the open.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	s := &stored{f: f}
	if s.info, err = f.Stat(); err != nil {
		f.Close()
		return nil, err
	}
	if !s.info.Mode().IsRegular() {
		return s, fmt.Errorf("%w: not a file", errDamaged)
	}
	s.layout, err = readLayout(f, s.info.Size())
	return s, err
}

// load reads the whole entry into memory, checked.
func (s *stored) load(i id) (*blob, error) {
	data := make([]byte, s.n)
	if err := readFull(s.f, data, s.at); err != nil {
		return nil, err
	}
	b := &blob{key: s.key, id: i, note: s.note, made: s.made(), n: s.n}
	for index := range blocks(s.n) {
		block := data[index*blockBytes:][:s.blockLen(index)]
		if err := s.check(index, block); err != nil {
			return nil, err
		}
		b.chunks = append(b.chunks, block)
	}
	return b, nil
}

// verify checks every block.
func (s *stored) verify() error {
	buf := make([]byte, min(s.n, blockBytes))
	for index := range blocks(s.n) {
		if err := s.block(index, buf); err != nil {
			return err
		}
	}
	return nil
}

// block reads one block into buf and checks it.
func (s *stored) block(index int64, buf []byte) error {
	b := buf[:s.blockLen(index)]
	if err := readFull(s.f, b, s.at+index*blockBytes); err != nil {
		return err
	}
	return s.check(index, b)
}

func (s *stored) made() time.Time { return s.info.ModTime() }

func (s *stored) view(r *Reader, off int64) ([]byte, error) {
	if off >= s.n {
		return nil, io.EOF
	}
	index := off / blockBytes
	if r.buf == nil || r.bufAt != index {
		if r.buf == nil {
			r.buf = make([]byte, min(s.n, blockBytes))
		}
		r.bufAt = -1
		if err := s.block(index, r.buf); err != nil {
			if r.closed.Load() {
				return nil, ErrClosed
			}
			if s.broken != nil {
				s.once.Do(func() { s.broken(s, err) })
			}
			return nil, fmt.Errorf("reading a cached answer: %w", err)
		}
		r.bufAt = index
	}
	return r.buf[off%blockBytes : s.blockLen(index)], nil
}

func (s *stored) length() (int64, bool) { return s.n, true }

func (s *stored) leave(*Reader) { s.close() }

func (s *stored) close() {
	s.f.Close()
}
