package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Selector chooses entries. Its fields narrow each other; All must be set to
// choose everything.
type Selector struct {
	// Object is the Key.Object of the entries.
	Object string
	// Prefix is what their Key.Object begins with. Each file's header is
	// read for it.
	Prefix string
	// Before chooses entries made before that time.
	Before time.Time
	// All chooses every entry that the others leave.
	All bool
}

// Purged counts what a purge removed from disk.
type Purged struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// errNothingSelected guards against emptying a cache by a forgotten field.
var errNothingSelected = errors.New("cache: the purge selects nothing")

func (s Selector) validate() error {
	if s.Object == "" && s.Prefix == "" && s.Before.IsZero() && !s.All {
		return errNothingSelected
	}
	return nil
}

// match tells whether an entry of that object, made then, is chosen.
func (s Selector) match(object string, made time.Time) bool {
	return (s.Object == "" || object == s.Object) && strings.HasPrefix(object, s.Prefix) && s.inTime(made)
}

func (s Selector) inTime(made time.Time) bool { return s.Before.IsZero() || made.Before(s.Before) }

// matchFile is match for a file that may have to be opened. A file that
// cannot be read is chosen where only its header could tell: it serves
// nobody, and a purge must not leave what it should have removed.
func (s Selector) matchFile(f found) bool {
	if !s.inTime(f.made) || s.Object != "" && f.id.object != objectDigest(s.Object) {
		return false
	}
	if s.Prefix == "" {
		return true
	}
	file, err := os.Open(f.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	h, _, err := readHead(file, f.size)
	return err != nil || s.match(h.key.Object, f.made)
}

// purgeDir removes the chosen files below root with remove. It goes on after
// a failure.
func purgeDir(ctx context.Context, root string, sel Selector, remove func(found) error) (Purged, error) {
	var p Purged
	var failed error
	err := scan(ctx, root, func(f found) error {
		if !sel.matchFile(f) {
			return nil
		}
		switch err := remove(f); {
		case err == nil:
			p.Files++
			p.Bytes += f.size
		case !errors.Is(err, fs.ErrNotExist):
			failed = err
		}
		return nil
	})
	return p, errors.Join(err, failed)
}

// Purge removes the chosen entries from both tiers. Fills in flight that are
// chosen go on and serve who waits for them, but their answers are not kept,
// and later callers do not join them. Readers read on.
func (c *Cache) Purge(ctx context.Context, sel Selector) (Purged, error) {
	if err := sel.validate(); err != nil {
		return Purged{}, err
	}
	// Under the commit lock a fill is either an entry already, and found
	// below, or will see that it is stale.
	c.disk.commits.Lock()
	c.mu.Lock()
	c.purges++
	for f := range c.running {
		if sel.match(f.key.Object, f.started) {
			f.stale = true
			f.unlistLocked()
		}
	}
	c.memory.purge(func(b *blob) bool { return sel.match(b.key.Object, b.made) })
	c.mu.Unlock()
	c.disk.commits.Unlock()
	if state, _ := c.disk.current(); state == diskOff {
		return Purged{}, nil
	}
	p, err := purgeDir(ctx, c.disk.root(), sel, func(f found) error { return c.disk.remove(f.id) })
	c.m.purged.Add(float64(p.Files))
	return p, err
}
