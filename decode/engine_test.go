package decode

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/option"
	"example.com/iiifd/source"
)

// object is a source.Object over bytes.
type object struct {
	io.ReaderAt
	info source.Info
}

func (o object) Info() source.Info { return o.info }
func (o object) Path() string      { return "" }
func (o object) Close() error      { return nil }
func (o object) Verify() error     { return nil }

// objectOf wraps the bytes of a file.
func objectOf(b []byte) object {
	return object{bytes.NewReader(b), source.Info{Name: "x", Size: int64(len(b)), Page: -1}}
}

// startEngine starts libvips with the default settings, changed by edit.
func startEngine(t testing.TB, edit ...func(*Config)) *Engine {
	t.Helper()
	var c Config
	c.Options(option.NewSet())
	for _, f := range edit {
		f(&c)
	}
	e, err := Start(c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// request plans and renders one request, "region/size/rotation/quality.format".
func request(t testing.TB, e *Engine, o source.Object, params string) ([]byte, error) {
	t.Helper()
	s, err := e.Shape(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return requestShape(t, e, o, s, params)
}

func requestShape(t testing.TB, e *Engine, o source.Object, s plan.Shape, params string) ([]byte, error) {
	t.Helper()
	p, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	pl, err := plan.New(s, p, e.PlanOptions())
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	var out bytes.Buffer
	err = e.Render(context.Background(), o, pl, &out)
	return out.Bytes(), err
}

// pattern is an image whose every pixel tells where it is.
func pattern(w, h int) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			im.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), uint8(x>>8<<4 | y>>8), 255})
		}
	}
	return im
}

func pngOf(t testing.TB, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFullPNGIsExact(t *testing.T) {
	e := startEngine(t)
	src := pattern(301, 203)
	out, err := request(t, e, objectOf(pngOf(t, src)), "full/max/0/default.png")
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 203 {
		for x := range 301 {
			r, g, b, a := got.At(x, y).RGBA()
			R, G, B, A := src.At(x, y).RGBA()
			if r != R || g != G || b != B || a != A {
				t.Fatalf("pixel %d,%d: got %v, want %v", x, y, got.At(x, y), src.At(x, y))
			}
		}
	}
}
