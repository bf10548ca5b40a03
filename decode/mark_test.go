package decode

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/testimages"
)

// marks are watermarks of every channel count and depth: the left half is the
// ink, the rest is what the kind has for nothing.
func marks() map[string]image.Image {
	r := image.Rect(0, 0, 40, 20)
	left := image.Rect(0, 0, 20, 20)
	gray, deep := image.NewGray(r), image.NewGray16(r)
	rgb, rgba, rgba16 := image.NewRGBA(r), image.NewNRGBA(r), image.NewNRGBA64(r)
	draw.Draw(gray, left, image.White, image.Point{}, draw.Src)
	draw.Draw(deep, left, image.White, image.Point{}, draw.Src)
	draw.Draw(rgb, r, image.Black, image.Point{}, draw.Src)
	draw.Draw(rgb, left, image.White, image.Point{}, draw.Src)
	for _, m := range []draw.Image{rgba, rgba16} {
		draw.Draw(m, image.Rect(0, 0, 10, 20), image.NewUniform(color.NRGBA{255, 255, 255, 200}), image.Point{}, draw.Src)
		draw.Draw(m, image.Rect(10, 0, 20, 20), image.NewUniform(color.NRGBA{0, 0, 0, 200}), image.Point{}, draw.Src)
	}
	return map[string]image.Image{"gray": gray, "gray16": deep, "rgb": rgb, "rgba": rgba, "rgba16": rgba16}
}

// markFrom writes a mark to a file and describes it.
func markFrom(t testing.TB, e *Engine, im image.Image) plan.Mark {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mark.png")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, im), f.Close()); err != nil {
		t.Fatal(err)
	}
	m, err := e.Mark(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// changed is the share of pixels of which a channel differs by more than 20.
func changed(a, b image.Image) float64 {
	n, all := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			all++
			r, g, bl, al := a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y).RGBA()
			r2, g2, b2, al2 := b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y).RGBA()
			for _, d := range [4]int{int(r) - int(r2), int(g) - int(g2), int(bl) - int(b2), int(al) - int(al2)} {
				if d > 20*257 || d < -20*257 {
					n++
					break
				}
			}
		}
	}
	return float64(n) / float64(all)
}

// TestMarkIsVisible: marks of every kind are seen on pictures of every depth
// and channel count, in every quality, with and without 16 bits.
func TestMarkIsVisible(t *testing.T) {
	for _, deep := range []bool{false, true} {
		e := startEngine(t, func(c *Config) { c.KeepDepth = deep })
		for _, name := range []string{"png-rgb.png", "png-rgba.png", "png-gray.png", "png-gray-alpha.png", "png-16bit.png", "png-16bit-gray.png", "tiff-float.tif", "tiff-1bit.tif", "jpeg-cmyk.jpg"} {
			s, ok := testimages.Lookup(name)
			if !ok {
				t.Fatal(name)
			}
			for _, output := range []string{"default.png", "default.tif", "gray.png", "bitonal.png", "default.jpg", "default.webp"} {
				if name == "png-gray-alpha.png" && output == "default.tif" {
					continue // x/image/tiff does not read gray with alpha
				}
				_, format, _ := strings.Cut(output, ".")
				show := func(edit func(plan.Shape, *plan.Options)) image.Image {
					im, err := decoders[format](requestWith(t, e, sample(t, s), "full/max/0/"+output, edit))
					if err != nil {
						t.Fatal(err)
					}
					return im
				}
				without := show(func(plan.Shape, *plan.Options) {})
				for kind, im := range marks() {
					m := markFrom(t, e, im)
					with := show(func(_ plan.Shape, o *plan.Options) { o.Mark = m })
					if share := changed(with, without); share < 0.1 {
						t.Errorf("%s mark on %s as %s, deep %t: %.1f %% of the pixels changed", kind, name, output, deep, 100*share)
					}
				}
			}
		}
	}
}

// TestMarkIsAnchored: a part of a picture carries that part of the mark which
// the whole carries there, so that no choice of regions avoids it.
func TestMarkIsAnchored(t *testing.T) {
	e := startEngine(t)
	m := markFrom(t, e, marks()["rgba"])
	for _, name := range []string{"png-rgb.png", "tiff-pyramid-subifd.tif", "jp2-rgb.jp2"} {
		s, ok := testimages.Lookup(name)
		if !ok {
			continue
		}
		for _, view := range []bool{false, true} {
			edit := func(shape plan.Shape, o *plan.Options) {
				o.Mark = m
				if view {
					third(shape, o)
				}
			}
			whole := decodePNG(t, requestWith(t, e, sample(t, s), "full/max/0/default.png", edit))
			for _, r := range []image.Rectangle{image.Rect(0, 0, 20, 20), image.Rect(31, 17, 60, 58), image.Rect(whole.Rect.Dx()-9, whole.Rect.Dy()-9, whole.Rect.Dx(), whole.Rect.Dy())} {
				region := fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
				got := decodePNG(t, requestWith(t, e, sample(t, s), region+"/max/0/default.png", edit))
				testimages.Equal(t, got, whole.SubImage(r), testimages.Tolerance{Max: 2, Mean: 1})
			}
		}
	}
}

// TestMarkIsUpright in every orientation of the source.
func TestMarkIsUpright(t *testing.T) {
	e := startEngine(t)
	m := markFrom(t, e, marks()["rgba"])
	laid := func(_ plan.Shape, o *plan.Options) { o.Mark = m }
	var first *image.NRGBA
	for orientation := 1; orientation <= 8; orientation++ {
		s, _ := testimages.Lookup(fmt.Sprintf("jpeg-orientation-%d.jpg", orientation))
		got := decodePNG(t, requestWith(t, e, sample(t, s), "full/max/0/default.png", laid))
		if first == nil {
			first = got
			continue
		}
		if share := changed(got, first); share > 0.25 {
			t.Errorf("orientation %d: %.0f %% of the pixels differ from orientation 1", orientation, 100*share)
		}
	}
}

func TestMarkRefusals(t *testing.T) {
	e := startEngine(t)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no image"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/does/not/exist", t.TempDir(), text} {
		if _, err := e.Mark(t.Context(), path); !errors.Is(err, ErrMark) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A mark that was replaced since it was described is not the one that the
	// answer's tag names.
	m := markFrom(t, e, marks()["rgb"])
	if err := os.Chtimes(m.Path, testTime, testTime); err != nil {
		t.Fatal(err)
	}
	s, _ := testimages.Lookup("png-rgb.png")
	o := sample(t, s)
	shape, err := e.Shape(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	options := e.PlanOptions()
	options.Mark = m
	pl, err := plan.Execute(shape, transform(t, shape, "full/max/0/default.png"), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Render(t.Context(), o, pl, discard{}); err == nil {
		t.Error("a replaced mark was laid")
	}
}

var testTime = time.Unix(1_000_000_000, 0)

// discard is an output that nobody reads.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func transform(t testing.TB, s plan.Shape, params string) iiif.Transform {
	t.Helper()
	p, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		t.Fatal(err)
	}
	w, h := s.Upright()
	tr, err := p.Resolve(iiif.Image{Width: w, Height: h, Gray: s.Gray()}, iiif.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
