package decode

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/davidbyttow/govips/v2/vips"
	"golang.org/x/sync/errgroup"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
	"example.com/iiifd/testimages"
)

// planFor plans a request on an object.
func planFor(t testing.TB, e *Engine, o source.Object, params string) plan.Plan {
	t.Helper()
	s, err := e.Shape(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		t.Fatal(err)
	}
	pl, err := plan.New(s, p, e.PlanOptions())
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

// trigger calls f at the nth read or write.
type trigger struct {
	io.ReaderAt
	io.Writer
	f func()
	n int
}

func (r *trigger) ReadAt(p []byte, off int64) (int, error) {
	r.count()
	return r.ReaderAt.ReadAt(p, off)
}

func (r *trigger) Write(p []byte) (int, error) {
	r.count()
	return r.Writer.Write(p)
}

func (r *trigger) count() {
	if r.n--; r.n == 0 {
		r.f()
	}
}

// TestHEIFReadsThatFail: libheif ends the process where one of its reads
// fails. Here every one does, one after the other, by the file and by a
// client that leaves; no picture may come of it.
func TestHEIFReadsThatFail(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"avif-lossy.avif", "avif-alpha.avif", "heif-lossy.heic"} {
		s, _ := testimages.Lookup(name)
		whole := sample(t, s)
		p := planFor(t, e, whole, "full/max/0/default.png")
		for n, ended := 1, false; !ended; n++ {
			failing := &failing{ReaderAt: whole.ReaderAt, n: n}
			o := sample(t, s)
			o.ReaderAt = failing
			err := e.Render(context.Background(), o, p, io.Discard)
			if ended = failing.n > 0; ended != (err == nil) || err != nil && !errors.Is(err, errStopped) {
				t.Errorf("%s, read %d: %v (%s)", name, n, err, detail(err))
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			o.ReaderAt = &trigger{ReaderAt: whole.ReaderAt, n: n, f: func() { cancel(errStopped) }}
			if err := e.Render(ctx, o, p, io.Discard); err != nil && !IsKind(err, Killed) {
				t.Errorf("%s, left at read %d: %v (%s)", name, n, err, detail(err))
			}
			cancel(nil)
		}
	}
	vips.AssertNoLeaks(t)
}

// failing is a file whose nth read and all later ones fail.
type failing struct {
	io.ReaderAt
	n int
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.n--; f.n <= 0 {
		return 0, errStopped
	}
	return f.ReaderAt.ReadAt(p, off)
}

var errStopped = errors.New("client went away")

func TestCancelWhileReading(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"jpeg-444.jpg", "png-rgb.png", "tiff-tiled.tif", "jp2-tiled.jp2", "webp-lossy.webp", "avif-lossy.avif", "heif-lossy.heic"} {
		s, _ := testimages.Lookup(name)
		o := sample(t, s)
		p := planFor(t, e, o, "full/^1500,/90/default.png")
		ctx, cancel := context.WithCancelCause(context.Background())
		o.ReaderAt = &trigger{ReaderAt: o.ReaderAt, n: 1, f: func() { cancel(errStopped) }}
		err := e.Render(ctx, o, p, io.Discard)
		if !IsKind(err, Killed) || !errors.Is(err, errStopped) {
			t.Errorf("%s: %v (%s)", name, err, detail(err))
		}
	}
	vips.AssertNoLeaks(t)
}

// TestCancelWhileWriting ends the context at the first write of a picture
// that takes many: without the kill the rest would be encoded.
func TestCancelWhileWriting(t *testing.T) {
	e := startEngine(t)
	o := objectOf(pngOf(t, pattern(2000, 2000)))
	for _, f := range []string{"png", "jpg", "tif"} {
		p := planFor(t, e, o, "full/max/0/default."+f)
		ctx, cancel := context.WithCancelCause(context.Background())
		var out bytes.Buffer
		err := e.Render(ctx, o, p, &trigger{Writer: &out, n: 1, f: func() { cancel(errStopped) }})
		if !IsKind(err, Killed) || !errors.Is(err, errStopped) {
			t.Errorf("%s: %v after %d bytes", f, err, out.Len())
		}
	}
	vips.AssertNoLeaks(t)
}

func TestCancelBeforeStart(t *testing.T) {
	e := startEngine(t)
	o := objectOf(pngOf(t, pattern(20, 20)))
	p := planFor(t, e, o, "full/max/0/default.png")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStopped)
	if err := e.Render(ctx, o, p, io.Discard); !errors.Is(err, errStopped) {
		t.Errorf("got %v", err)
	}
}

// TestFailuresOfStreams passes the source's and the writer's own errors on.
func TestFailuresOfStreams(t *testing.T) {
	e := startEngine(t)
	o := objectOf(pngOf(t, pattern(600, 600)))
	p := planFor(t, e, o, "full/max/0/default.png")
	changed := o
	changed.ReaderAt = failingReader{}
	if err := e.Render(context.Background(), changed, p, io.Discard); !errors.Is(err, source.ErrChanged) || !IsKind(err, Corrupt) {
		t.Errorf("reader: %v", err)
	}
	if err := e.Render(context.Background(), o, p, failingWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writer: %v", err)
	}
	changed.ReaderAt = panicking{}
	if err := e.Render(context.Background(), changed, p, io.Discard); err == nil {
		t.Error("a panic of the reader goes unnoticed")
	}
	vips.AssertNoLeaks(t)
}

type failingReader struct{}

func (failingReader) ReadAt([]byte, int64) (int, error) { return 0, source.ErrChanged }

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("broken reader") }

// TestManyAtOnce renders the same requests from several goroutines and
// compares the answers.
func TestManyAtOnce(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"jpeg-444.jpg", "tiff-tiled.tif", "jp2-tiled.jp2", "png-rgba.png"} {
		s, _ := testimages.Lookup(name)
		o := sample(t, s)
		p := planFor(t, e, o, "10,10,200,150/100,/90/default.png")
		var group errgroup.Group
		answers := make([]bytes.Buffer, 8)
		for i := range answers {
			group.Go(func() error { return e.Render(context.Background(), o, p, &answers[i]) })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(name, err)
		}
		for i := range answers {
			if !bytes.Equal(answers[i].Bytes(), answers[0].Bytes()) {
				t.Errorf("%s: answer %d differs", name, i)
			}
		}
	}
	vips.AssertNoLeaks(t)
}
