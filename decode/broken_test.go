package decode

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/testimages"
)

// small returns a small file of each kind that can be written here, and of
// SVG, with a name.
func small(t *testing.T, e *Engine) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		"svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="20" height="30" fill="#f00"/></svg>`),
	}
	src := objectOf(pngOf(t, pattern(70, 50)))
	for _, f := range e.Formats() {
		out, err := request(t, e, src, "full/max/0/default."+string(f))
		if err != nil {
			t.Fatalf("%s: %v (%s)", f, err, detail(err))
		}
		files[string(f)] = out
	}
	return files
}

// attempt renders the whole of a possibly broken file and returns its
// pixels, nil where that is refused.
func attempt(t *testing.T, e *Engine, b []byte, page int) []byte {
	t.Helper()
	o := objectOf(b)
	o.info.Page = page
	s, err := e.Shape(context.Background(), o)
	if err != nil || s.Width*s.Height > 1<<22 {
		return nil
	}
	w, h := s.Upright()
	tr, err := mustParams(t, "full/max/0/default.png").Resolve(iiif.Image{Width: w, Height: h, Gray: s.Gray()}, iiif.Limits{})
	if err != nil {
		return nil
	}
	p, err := plan.Execute(s, tr, e.PlanOptions())
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	if err := e.Render(context.Background(), o, p, &out); err != nil {
		return nil
	}
	return out.Bytes()
}

func mustParams(t *testing.T, s string) iiif.Params {
	t.Helper()
	p, err := iiif.ParseParams(s, iiif.V3)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusesCuts cuts b at every length, or at about points of them, and fails
// where something else than the whole picture comes out.
func refusesCuts(t *testing.T, e *Engine, b []byte, points int) {
	t.Helper()
	whole := attempt(t, e, b, -1)
	if whole == nil {
		t.Fatal("the whole file is refused")
	}
	bad, last := 0, 0
	for n := 0; n < len(b); n += max(1, len(b)/points) {
		if out := attempt(t, e, b[:n], -1); out != nil && !bytes.Equal(out, whole) {
			bad, last = bad+1, n
		}
	}
	if bad > 0 {
		t.Errorf("%d cuts of %d bytes give another picture, the last at %d", bad, len(b), last)
	}
}

func TestCutFilesAreRefused(t *testing.T) {
	e := startEngine(t)
	for name, b := range small(t, e) {
		t.Run(name, func(t *testing.T) { refusesCuts(t, e, b, 4000) })
	}
}

func TestCutSamplesAreRefused(t *testing.T) {
	e := startEngine(t)
	eachKind(t, func(t *testing.T, _ testimages.File, o object) {
		b := make([]byte, o.info.Size)
		if _, err := o.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		refusesCuts(t, e, b, 40)
	})
}

// TestFlippedBytes only asks for survival: a changed byte may change pixels.
func TestFlippedBytes(t *testing.T) {
	e := startEngine(t)
	r := rand.New(rand.NewPCG(1, 2))
	for name, b := range small(t, e) {
		t.Run(name, func(*testing.T) {
			for range 200 {
				c := bytes.Clone(b)
				c[r.IntN(len(c))] ^= byte(1 + r.IntN(255))
				attempt(t, e, c, -1)
			}
		})
	}
	vips.AssertNoLeaks(t)
}
