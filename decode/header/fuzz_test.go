package header

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// counting remembers how much was read and refuses reads out of the file.
type counting struct {
	t     *testing.T
	r     *bytes.Reader
	bytes int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(p)) > c.r.Size() {
		c.t.Errorf("read of %d bytes at %d in a file of %d", len(p), off, c.r.Size())
	}
	c.bytes += int64(len(p))
	n, err := c.r.ReadAt(p, off)
	if errors.Is(err, io.EOF) && n == len(p) {
		err = nil
	}
	return n, err
}

// FuzzRead changes real files: no panic, no read outside, only the errors
// that are promised, and no shape that breaks its own rules.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, -1)
		f.Add(b, 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, page int) {
		c := &counting{t: t, r: bytes.NewReader(data)}
		s, err := Read(c, int64(len(data)), max(-1, page))
		if c.bytes > maxReads*window {
			t.Errorf("%d bytes read", c.bytes)
		}
		if err != nil {
			if !isCorrupt(err) && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrNoPage) {
				t.Errorf("unexpected error %v", err)
			}
			return
		}
		if s.Width < 1 || s.Height < 1 || s.Width > maxSide || s.Height > maxSide || s.Bands < 1 || len(s.Levels) < 1 {
			t.Errorf("impossible shape %+v", s)
		}
		if s.Orientation < 1 || s.Orientation > 8 || s.Page < 0 || s.Page >= s.Pages || s.ICCBytes < 0 {
			t.Errorf("impossible shape %+v", s)
		}
		if l := s.Levels[0]; l.Width != s.Width || l.Height != s.Height {
			t.Errorf("level 0 is %d×%d of %d×%d", l.Width, l.Height, s.Width, s.Height)
		}
		for i, l := range s.Levels[1:] {
			if l.Width < 1 || l.Height < 1 || l.Width > s.Levels[i].Width {
				t.Errorf("level %d is %d×%d", i+1, l.Width, l.Height)
			}
		}
	})
}
