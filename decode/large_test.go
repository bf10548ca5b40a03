package decode

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"example.com/iiifd/source"
	"example.com/iiifd/testimages"
)

// counting counts the bytes that are read.
type counting struct {
	io.ReaderAt
	bytes atomic.Int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.bytes.Add(int64(n))
	return n, err
}

// largeObject opens a large generated file and counts what is read of it.
func largeObject(t *testing.T, kind testimages.LargeKind, w, h int) (object, *counting) {
	t.Helper()
	f, err := os.Open(testimages.Large(t, kind, w, h))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{ReaderAt: f}
	return object{c, source.Info{Name: "large", Size: info.Size(), Page: -1}}, c
}

// TestLargePyramidReadsLittle asks a pyramid of 500 megapixels for small
// pictures: only the fitting level may be touched.
func TestLargePyramidReadsLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a file of hundreds of megabytes")
	}
	e := startEngine(t)
	for _, params := range []string{
		"full/256,/0/default.jpg", "full/!1000,1000/0/default.jpg",
		"16384,8192,8192,8192/512,512/0/default.jpg", "20480,10240,512,512/512,512/90/default.png",
	} {
		o, read := largeObject(t, testimages.LargePyramid, testimages.Width500M, testimages.Height500M)
		p := planFor(t, e, o, params)
		if err := e.Render(context.Background(), o, p, io.Discard); err != nil {
			t.Fatalf("%s: %v (%s)", params, err, detail(err))
		}
		t.Logf("%s: level %d, %s, %d bytes of %d", params, p.Level, p.Access, read.bytes.Load(), o.info.Size)
		if read.bytes.Load() > 2<<20 {
			t.Errorf("%s read %d bytes", params, read.bytes.Load())
		}
	}
}
