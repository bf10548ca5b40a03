package cache

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// writable tells whether a spool file may be tried.
func (d *disk) writable() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state == diskOn && !time.Now().Before(d.paused)
}

// commit makes a finished spool file the entry of that id, unless current,
// called under the commit lock, says that it must not. Older entries go
// first, so the bounds hold at every moment. It waits while the directory is
// being read. On error the file is gone.
func (d *disk) commit(s *spool, i id, current func() bool) error {
	if !d.awaitIndex() {
		s.abandon()
		return ErrClosed
	}
	d.commits.Lock()
	defer d.commits.Unlock()
	size := s.size()
	if !current() {
		s.abandon()
		return errStale
	}
	if !d.makeRoom(i, size) {
		s.abandon()
		return errTooLarge
	}
	if err := d.rename(s.path, d.path(i)); err != nil {
		s.abandon()
		d.unlink([]id{i}) // the one to be replaced has left the index
		return err
	}
	s.kept()

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == diskOff {
		return nil
	}
	// What this process has just written is not read back to be believed.
	d.ix.put(i, size, time.Now()).verified = true
	if d.faulty {
		d.faulty = false
		d.log.Info("derivative cache stores again", slog.String("dir", d.dir))
	}
	d.showLocked()
	return nil
}

// rename moves a spool file to its place, making the directory if need be.
func (d *disk) rename(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		// Mkdir, not MkdirAll: a removed root must not come back unlocked.
		if err = os.Mkdir(filepath.Dir(to), 0o700); err == nil || errors.Is(err, fs.ErrExist) {
			err = os.Rename(from, to)
		}
	}
	if err == nil {
		return nil
	}
	if _, tempErr := os.Lstat(d.temp()); errors.Is(err, fs.ErrNotExist) && tempErr == nil {
		// Only the spool file is gone, with an older directory.
		d.m.errors.WithLabelValues(errorKind(err)).Inc()
		return err
	}
	d.failed("rename", err)
	return err
}

// makeRoom evicts until size bytes and one file fit beside the others, the
// entry to be replaced not counted; false where they never will. The commit
// lock is held.
func (d *disk) makeRoom(i id, size int64) bool {
	d.mu.Lock()
	if size > d.limit || d.files < 1 {
		d.mu.Unlock()
		return false
	}
	d.ix.remove(i) // rename replaces the file
	victims := d.victimsLocked(d.limit-size, d.files-1)
	d.mu.Unlock()
	d.unlink(victims)
	return true
}

// victimsLocked takes the least recently used entries out of the index until
// at most so many bytes and files remain. The caller unlinks them: not under
// the mutex that lookups need, but under the commit lock.
func (d *disk) victimsLocked(limit int64, files int) []id {
	var victims []id
	for d.ix.bytes > limit || len(d.ix.nodes) > files {
		n := d.ix.oldest()
		if n == nil {
			break
		}
		d.ix.remove(n.id)
		victims = append(victims, n.id)
	}
	d.m.evictions.WithLabelValues(tierDisk).Add(float64(len(victims)))
	d.showLocked()
	return victims
}

// unlink removes files that have left the index. The commit lock is held.
func (d *disk) unlink(victims []id) {
	for _, i := range victims {
		if err := os.Remove(d.path(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.m.errors.WithLabelValues(errorKind(err)).Inc()
		}
	}
}

// resize sets another bound in bytes; 0 returns to the configured one.
func (d *disk) resize(limit int64) {
	d.mu.Lock()
	d.override = limit
	d.boundLocked()
	d.mu.Unlock()
	d.shrink(0)
}

// boundLocked computes the bounds from configuration, volume and override.
func (d *disk) boundLocked() {
	d.limit, d.files = d.cfg.effective(d.volume)
	if d.override > 0 {
		d.limit = min(d.limit, d.override)
	}
	d.m.limit.WithLabelValues(tierDisk).Set(float64(d.limit))
}

// shrink evicts down to the bounds, and the given part in 16 of what is
// there. It does nothing while the directory is still being read: the order
// of use is not known yet, and walk ends with a shrink.
func (d *disk) shrink(sixteenths int64) {
	d.commits.Lock()
	defer d.commits.Unlock()
	d.mu.Lock()
	var victims []id
	if d.state == diskOn && !d.walking {
		victims = d.victimsLocked(min(d.limit, d.ix.bytes-d.ix.bytes/16*sixteenths), d.files)
	}
	d.mu.Unlock()
	d.unlink(victims)
}

// bookSpool books n bytes of spool files, negative n to return them.
func (d *disk) bookSpool(n int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n > 0 && d.spooled+n > d.cfg.SpoolBytes {
		return false
	}
	d.spooled += n
	d.m.spool.Set(float64(d.spooled))
	return true
}

// failed counts an error of a write and decides what it means for the tier.
func (d *disk) failed(op string, err error) {
	d.m.errors.WithLabelValues(errorKind(err)).Inc()
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		d.pause(op, err)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.noSpace = true
		d.wakeLocked()
	case errors.Is(err, fs.ErrNotExist):
		d.lost()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.state == diskOn {
			d.setStateLocked(diskReadOnly, err.Error())
			d.showLocked()
		}
	default:
		d.pause(op, err)
	}
}

// pause stops writing for a while, with a line in the log for the first of a
// row of faults.
func (d *disk) pause(op string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused = time.Now().Add(pauseFor)
	if !d.faulty {
		d.faulty = true
		d.log.Warn("derivative cache cannot store: trying again from time to time",
			slog.String("dir", d.dir), slog.String("op", op), slog.Any("error", err))
	}
	d.showLocked()
}

// lost forgets the entries of a directory that was removed or replaced, and
// wakes tend to make it anew.
func (d *disk) lost() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ix.reset()
	if d.state != diskOff {
		d.setStateLocked(diskOff, "the directory was removed")
	}
	d.showLocked()
	d.wakeLocked()
}

// wakeLocked makes tend look at once.
func (d *disk) wakeLocked() {
	select {
	case d.kick <- struct{}{}:
	default:
	}
}
