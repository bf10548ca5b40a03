package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"
)

// saveUseEvery is how often at most an entry's use is written to its file.
const saveUseEvery = time.Hour

// open returns the opened entry of that key, its header, trailer and key
// checked, and whether this process has checked its blocks before. nil is a
// miss, whatever the reason.
func (d *disk) open(key Key, i id) (s *stored, verified bool) {
	known, verified := d.use(i)
	if !known {
		return nil, false
	}
	s, err := openStored(d.path(i))
	if err == nil && s.key != key {
		err = fmt.Errorf("%w: the entry of another key", errDamaged)
	}
	if err != nil {
		d.unreadable(i, s, err)
		return nil, false
	}
	s.broken = func(s *stored, err error) { d.discard(i, s, err) }
	return s, verified
}

// use tells whether the entry may exist, and marks it as used. While the
// directory is being read, every entry may.
func (d *disk) use(i id) (known, verified bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == diskOff {
		return false, false
	}
	n := d.ix.nodes[i]
	if n == nil {
		return d.walking, false
	}
	d.ix.touch(n, time.Now())
	return true, n.verified
}

// touch marks an entry as used that was served from memory.
func (d *disk) touch(i id) { d.use(i) }

func (d *disk) has(i id) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state != diskOff && d.ix.nodes[i] != nil
}

// served brings the index up to date with a file that was read and found
// good, and saves the time of use now and then.
func (d *disk) served(i id, s *stored) {
	now := time.Now()
	d.mu.Lock()
	n := d.ix.nodes[i]
	if n == nil && d.walking {
		n = d.ix.put(i, s.info.Size(), now)
		n.saved = 0
		d.showLocked()
	}
	save := false
	if n != nil {
		n.verified = true
		save = d.state == diskOn && now.Unix()-n.saved > int64(saveUseEvery/time.Second)
		if save {
			n.saved = now.Unix()
		}
	}
	d.mu.Unlock()
	if save {
		d.saveUse(i, now)
	}
}

// saveUse sets the file's access time. A failure costs only the order of
// eviction after the next start.
func (d *disk) saveUse(i id, now time.Time) {
	if err := os.Chtimes(d.path(i), now, time.Time{}); err != nil {
		d.log.Debug("saving the time of use", slog.Any("error", err))
	}
}

// unreadable handles an entry that could not be opened or did not match; s
// is nil or open.
func (d *disk) unreadable(i id, s *stored, err error) {
	if s != nil {
		defer s.close()
	}
	switch {
	case errors.Is(err, errDamaged) && s != nil:
		d.discard(i, s, err)
	case errors.Is(err, fs.ErrNotExist):
		if d.has(i) {
			d.m.errors.WithLabelValues(errorKind(err)).Inc()
			d.forget(i)
		}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		d.m.errors.WithLabelValues(errorKind(err)).Inc()
	default:
		// Forgotten, so that a new answer may replace it.
		d.m.errors.WithLabelValues(errorKind(err)).Inc()
		d.forget(i)
	}
}

// discard removes a damaged entry, if its name still means the file that was
// read.
func (d *disk) discard(i id, s *stored, err error) {
	d.m.errors.WithLabelValues(errorKind(err)).Inc()
	d.log.Warn("cached answer is damaged: removed",
		slog.String("file", i.name()), slog.String("object", s.key.Object), slog.Any("error", err))
	d.commits.Lock()
	defer d.commits.Unlock()
	if info, err := os.Lstat(d.path(i)); err == nil && !os.SameFile(info, s.info) {
		return
	}
	d.forget(i)
	d.unlink([]id{i})
}

// forget takes an entry out of the index.
func (d *disk) forget(i id) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ix.remove(i)
	d.showLocked()
}

// remove takes an entry out of index and directory.
func (d *disk) remove(i id) error {
	d.commits.Lock()
	defer d.commits.Unlock()
	d.forget(i)
	return os.Remove(d.path(i))
}
