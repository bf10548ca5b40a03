package decode

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/testimages"
)

// sample opens a sample file.
func sample(t testing.TB, f testimages.File) object {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testimages.Dir(), filepath.FromSlash(f.Name)))
	if err != nil {
		t.Fatal(err)
	}
	return objectOf(b)
}

// decoded renders a request to png and decodes it with another decoder.
func decoded(t testing.TB, e *Engine, o object, params string) *image.NRGBA {
	t.Helper()
	out, err := request(t, e, o, params+".png")
	if err != nil {
		t.Fatalf("%s: %v (%s)", params, err, detail(err))
	}
	im, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	return nrgba(im)
}

func nrgba(im image.Image) *image.NRGBA {
	if n, ok := im.(*image.NRGBA); ok {
		return n
	}
	out := image.NewNRGBA(image.Rect(0, 0, im.Bounds().Dx(), im.Bounds().Dy()))
	draw.Draw(out, out.Bounds(), im, im.Bounds().Min, draw.Src)
	return out
}

// eachSample runs f for every sample that libvips reads.
func eachSample(t *testing.T, f func(t *testing.T, s testimages.File, o object)) {
	t.Helper()
	for _, s := range testimages.All() {
		if !s.Readable {
			continue
		}
		t.Run(s.Name, func(t *testing.T) { f(t, s, sample(t, s)) })
	}
}

// eachKind is eachSample without the files that only have odd names.
func eachKind(t *testing.T, f func(t *testing.T, s testimages.File, o object)) {
	t.Helper()
	eachSample(t, func(t *testing.T, s testimages.File, o object) {
		if !strings.HasPrefix(s.Name, "names/") {
			f(t, s, o)
		}
	})
}

func TestSamplesShowTheirPicture(t *testing.T) {
	e := startEngine(t)
	eachSample(t, func(t *testing.T, s testimages.File, o object) {
		for page := range s.Pages {
			o.info.Page = page
			testimages.Equal(t, decoded(t, e, o, "full/max/0/default"), s.Picture(page), s.Tolerance)
		}
	})
}

func TestSampleShapes(t *testing.T) {
	e := startEngine(t)
	eachSample(t, func(t *testing.T, s testimages.File, o object) {
		shape, err := e.Shape(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		w, h := shape.Upright()
		if w != s.Width || h != s.Height || shape.Pages != s.Pages || string(shape.Loader) != string(s.Kind) {
			t.Errorf("%s %d×%d with %d pages, want %s %d×%d with %d", shape.Loader, w, h, shape.Pages, s.Kind, s.Width, s.Height, s.Pages)
		}
		if s.Levels != nil && len(shape.Levels) != len(s.Levels) {
			t.Errorf("levels %v, want %v", shape.Levels, s.Levels)
		}
	})
}

// transformed mirrors a picture, then turns it clockwise, pixel by pixel.
func transformed(im *image.NRGBA, mirror bool, degrees int) *image.NRGBA {
	w, h := im.Rect.Dx(), im.Rect.Dy()
	ow, oh := w, h
	if degrees%180 != 0 {
		ow, oh = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, ow, oh))
	for y := range h {
		for x := range w {
			sx := x
			if mirror {
				sx = w - 1 - x
			}
			var dx, dy int
			switch degrees {
			case 0:
				dx, dy = x, y
			case 90:
				dx, dy = h-1-y, x
			case 180:
				dx, dy = w-1-x, h-1-y
			case 270:
				dx, dy = y, w-1-x
			}
			out.SetNRGBA(dx, dy, im.NRGBAAt(sx, y))
		}
	}
	return out
}

func TestMirrorAndQuarterTurnsOfEveryOrientation(t *testing.T) {
	e := startEngine(t)
	for n := 1; n <= 8; n++ {
		s, ok := testimages.Lookup(fmt.Sprintf("jpeg-orientation-%d.jpg", n))
		if !ok {
			t.Fatalf("no sample of orientation %d", n)
		}
		o := sample(t, s)
		for _, mirror := range []string{"", "!"} {
			for _, degrees := range []int{0, 90, 180, 270} {
				got := decoded(t, e, o, fmt.Sprintf("20,30,150,120/max/%s%d/default", mirror, degrees))
				want := transformed(cut(s.Picture(0), image.Rect(20, 30, 170, 150)), mirror != "", degrees)
				if d := testimages.Compare(got, want); !d.Within(s.Tolerance) {
					t.Errorf("orientation %d, rotation %s%d: %v", n, mirror, degrees, d)
				}
			}
		}
	}
}

// cut copies a part of a picture.
func cut(im *image.NRGBA, r image.Rectangle) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Bounds(), im, r.Min, draw.Src)
	return out
}
