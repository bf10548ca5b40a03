package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// claim makes the directories, takes the lock and tries a write.
func (d *disk) claim() (diskState, error) {
	makeErr := os.MkdirAll(d.temp(), 0o700)
	if makeErr == nil {
		makeErr = d.takeLock()
	}
	if makeErr == nil {
		makeErr = d.probe()
	}
	switch {
	case makeErr == nil:
		return diskOn, nil
	case errors.Is(makeErr, fs.ErrPermission), errors.Is(makeErr, syscall.EROFS):
		d.m.errors.WithLabelValues(errorKind(makeErr)).Inc()
		if _, err := os.ReadDir(d.temp()); err == nil {
			return diskReadOnly, makeErr
		}
	default:
		d.m.errors.WithLabelValues(errorKind(makeErr)).Inc()
	}
	return diskOff, makeErr
}

// takeLock takes the directory's lock unless this process has it, and then
// removes what dead processes left half written.
func (d *disk) takeLock() error {
	d.mu.Lock()
	held := d.lock
	d.mu.Unlock()
	path := filepath.Join(d.dir, lockName)
	if held != nil && sameFile(held, path) {
		return nil
	}
	f, err := lockFile(path)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.lock = f
	d.mu.Unlock()
	if held != nil {
		held.Close()
	}
	d.sweep()
	return nil
}

// sweep removes temporary files that are not this process's.
func (d *disk) sweep() {
	list, err := os.ReadDir(d.temp())
	if err != nil {
		d.m.errors.WithLabelValues(errorKind(err)).Inc()
		return
	}
	for _, e := range list {
		if filepath.Ext(e.Name()) != tempSuffix || strings.HasPrefix(e.Name(), d.prefix) {
			continue
		}
		if err := os.Remove(filepath.Join(d.temp(), e.Name())); err != nil {
			d.m.errors.WithLabelValues(errorKind(err)).Inc()
		}
	}
}

// probe creates and removes a file. A full volume passes: it may have room
// once entries are evicted.
func (d *disk) probe() error {
	path := filepath.Join(d.temp(), d.prefix+"probe"+tempSuffix)
	f, err := d.openTemp(path)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	if err != nil {
		return err
	}
	f.Close()
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("removing what was just created: %w", err)
	}
	return nil
}
