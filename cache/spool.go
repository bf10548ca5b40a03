package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

// spool is a file that an answer is written to, block by block. It becomes
// an entry by disk.commit. write, finish and abandon are for the writer
// alone; readAt and drop are not.
type spool struct {
	d    *disk
	f    *os.File
	path string
	head head
	at   int64 // of data
	n    int64 // of data
	sums []byte
	gone bool // renamed or removed

	// booked is what the spool's bound holds for this file. It is returned
	// when the file is an entry, or when it is removed and closed.
	booked atomic.Int64
}

// create opens a spool file, or returns why there is none.
func (d *disk) create(key Key, note string) (*spool, error) {
	h := head{nonce: rand.Uint64(), key: key, note: note}
	if h.tooLong() {
		return nil, fmt.Errorf("%w: its key has %d bytes", errTooLarge, len(key.Object)+len(key.Text))
	}
	if !d.writable() {
		return nil, errNoDisk
	}
	s := &spool{d: d, head: h}
	s.path = filepath.Join(d.temp(), d.prefix+strconv.FormatUint(d.serial.Add(1), 36)+tempSuffix)
	f, err := d.openTemp(s.path)
	if err != nil {
		d.failed("create", err)
		return nil, err
	}
	s.f = f
	b := h.encode()
	s.at = int64(len(b))
	if err := s.put(b); err != nil {
		s.abandon()
		s.drop()
		return nil, err
	}
	return s, nil
}

// write appends a block; each but the last has blockBytes.
func (s *spool) write(block []byte) error {
	if err := s.put(block); err != nil {
		return err
	}
	s.sums = appendSum(s.sums, s.head.nonce, s.n/blockBytes, block)
	s.n += int64(len(block))
	return nil
}

// finish completes the file.
func (s *spool) finish() error {
	if err := s.put(encodeTail(s.head.nonce, s.sums, s.n)); err != nil {
		return err
	}
	if s.d.sync {
		if err := s.f.Sync(); err != nil {
			s.d.failed("sync", err)
			return err
		}
	}
	return nil
}

func (s *spool) put(b []byte) error {
	if !s.d.bookSpool(int64(len(b))) {
		s.d.m.errors.WithLabelValues(kindSpoolFull).Inc()
		return errSpoolFull
	}
	s.booked.Add(int64(len(b)))
	if _, err := s.f.Write(b); err != nil {
		s.d.failed("write", err)
		return err
	}
	return nil
}

// size is the file's length once it is finished.
func (s *spool) size() int64 { return s.at + s.n + int64(len(s.sums)) + tailFixed }

// abandon removes the file's name; who has it open reads on.
func (s *spool) abandon() {
	if s.gone {
		return
	}
	s.gone = true
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.d.failed("remove", err)
	}
}

// kept says that the file is an entry now, counted as such.
func (s *spool) kept() {
	s.gone = true
	s.d.bookSpool(-s.booked.Swap(0))
}

// drop closes the file when nobody reads or writes it any more.
func (s *spool) drop() {
	s.f.Close()
	s.d.bookSpool(-s.booked.Swap(0))
}
