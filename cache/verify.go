package cache

import (
	"context"
	"errors"
	"io/fs"
)

// Verified is what a check of every entry found.
type Verified struct {
	Files   int   `json:"files"`
	Bytes   int64 `json:"bytes"`
	Damaged int   `json:"damaged"`
	// Unreadable counts files that could not be read, which says nothing
	// about what is in them; they are left.
	Unreadable int `json:"unreadable"`
}

// verifyDir checks every entry below root and calls damaged for each that
// does not pass, with the open file.
func verifyDir(ctx context.Context, root string, damaged func(found, *stored, error)) (Verified, error) {
	var v Verified
	err := scan(ctx, root, func(f found) error {
		s, err := openStored(f.path)
		if s != nil {
			defer s.close()
		}
		if err == nil && s.key.id() != f.id {
			err = errDamaged
		}
		if err == nil {
			err = s.verify()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, errDamaged):
			v.Damaged++
			damaged(f, s, err)
		case err != nil:
			v.Unreadable++
		}
		v.Files++
		v.Bytes += f.size
		return nil
	})
	return v, err
}

// Verify checks every entry on disk and removes the damaged ones.
func (c *Cache) Verify(ctx context.Context) (Verified, error) {
	if state, _ := c.disk.current(); state == diskOff {
		return Verified{}, nil
	}
	return verifyDir(ctx, c.disk.root(), func(f found, s *stored, err error) { c.disk.discard(f.id, s, err) })
}
