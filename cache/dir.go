package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a cache's directory without a server on it.
type Dir struct{ dir string }

// OpenDir returns the directory that cfg means. It opens nothing: a directory
// that does not exist is an empty cache.
func OpenDir(cfg Config) (*Dir, error) {
	dir, err := cfg.Directory()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, errors.New("cache: the disk tier is turned off")
	}
	return &Dir{dir: dir}, nil
}

// Is tells whether path, as another process names it, is this directory.
func (d *Dir) Is(path string) bool {
	ours, err := os.Stat(d.dir)
	if err != nil {
		return false
	}
	theirs, err := os.Stat(path)
	return err == nil && os.SameFile(ours, theirs)
}

func (d *Dir) root() string { return filepath.Join(d.dir, layoutDir) }

// Stat counts the entries. A server may be running.
func (d *Dir) Stat(ctx context.Context) (Stat, error) {
	s := Stat{Dir: d.dir}
	err := scan(ctx, d.root(), func(f found) error {
		s.Files++
		s.Bytes += f.size
		if s.OldestUse.IsZero() || f.used.Before(s.OldestUse) {
			s.OldestUse = f.used
		}
		return nil
	})
	list, readErr := os.ReadDir(filepath.Join(d.root(), tempDir))
	for _, e := range list {
		if info, err := e.Info(); err == nil {
			s.Temporary++
			s.TemporaryBytes += info.Size()
		}
	}
	if errors.Is(readErr, fs.ErrNotExist) {
		readErr = nil
	}
	return s, errors.Join(err, readErr)
}

// Purge removes the chosen entries. It returns ErrInUse beside a running
// server, which would go on serving them from memory: ask that one instead.
func (d *Dir) Purge(ctx context.Context, sel Selector) (Purged, error) {
	if err := sel.validate(); err != nil {
		return Purged{}, err
	}
	unlock, err := d.lock()
	if err != nil || unlock == nil {
		return Purged{}, err
	}
	defer unlock()
	return purgeDir(ctx, d.root(), sel, func(f found) error { return os.Remove(f.path) })
}

// Verify checks every entry, and removes the damaged ones if remove is set;
// then it returns ErrInUse beside a running server.
func (d *Dir) Verify(ctx context.Context, remove bool) (Verified, error) {
	var failed error
	damaged := func(found, *stored, error) {}
	if remove {
		unlock, err := d.lock()
		if err != nil || unlock == nil {
			return Verified{}, err
		}
		defer unlock()
		damaged = func(f found, _ *stored, _ error) { failed = errors.Join(failed, os.Remove(f.path)) }
	}
	v, err := verifyDir(ctx, d.root(), damaged)
	return v, errors.Join(err, failed)
}

// lock takes the directory's lock; nil without error where there is no
// directory.
func (d *Dir) lock() (unlock func(), err error) {
	f, err := lockFile(filepath.Join(d.dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func() {
		f.Close()
	}, nil
}

// Has tells whether there is an entry of that key. A server may be running.
func (d *Dir) Has(key Key) bool {
	i := key.id()
	_, err := os.Stat(filepath.Join(d.root(), i.fan(), i.name()))
	return err == nil
}
