package decode

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"example.com/iiifd/testimages"
)

// shrunk is a picture's part, scaled by another library.
func shrunk(im *image.NRGBA, r image.Rectangle, w, h int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(out, out.Bounds(), im, r, draw.Src, nil)
	return out
}

// blurred takes the mean luma of 5×5 pixels: what is left does not depend on
// how sharp a reduction is, nor on chroma subsampling, but on where things
// are.
func blurred(im *image.NRGBA) *image.Gray {
	luma := image.NewGray(im.Rect)
	draw.Draw(luma, luma.Rect, im, image.Point{}, draw.Src)
	out := image.NewGray(im.Rect)
	for y := range im.Rect.Dy() {
		for x := range im.Rect.Dx() {
			sum, n := 0, 0
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					if p := image.Pt(x+dx, y+dy); p.In(im.Rect) {
						sum += int(luma.GrayAt(p.X, p.Y).Y)
						n++
					}
				}
			}
			out.SetGray(x, y, color.Gray{Y: uint8((sum + n/2) / n)})
		}
	}
	return out
}

// inPlace fails where got differs from want by about as much as a picture that
// is moved by a pixel; reductions that round sizes down may
// be half a pixel off at the right and at the bottom. JPEG 2000 gets half a
// pixel more: the low band of a wavelet has its pixels where the first of the
// 2ⁿ is that each stands for, not in their middle.
func inPlace(t *testing.T, what string, kind testimages.Kind, got, want *image.NRGBA) {
	t.Helper()
	moved := image.NewNRGBA(want.Rect)
	draw.Draw(moved, moved.Rect, want, image.Pt(1, 0), draw.Src)
	slack := 0.85
	if kind == testimages.JP2 {
		slack += 0.5
	}
	bound := testimages.Compare(blurred(moved), blurred(want)).Mean * slack
	if d := testimages.Compare(blurred(got), blurred(want)); d.Mean > bound {
		t.Errorf("%s: %v; allowed is a mean of %.2f", what, d, bound)
	}
}

// TestScaledSamples compares pictures at sizes that exercise every reduction
// with another resampling of the whole picture.
func TestScaledSamples(t *testing.T) {
	e := startEngine(t)
	eachKind(t, func(t *testing.T, s testimages.File, o object) {
		ref := decoded(t, e, o, "full/max/0/default")
		for _, k := range []float64{1.37, 2, 3.1, 4, 8} {
			w, h := max(1, int(float64(s.Width)/k)), max(1, int(float64(s.Height)/k))
			got := decoded(t, e, o, fmt.Sprintf("full/%d,%d/0/default", w, h))
			inPlace(t, fmt.Sprintf("1/%v", k), s.Kind, got, shrunk(ref, ref.Rect, w, h))
		}
	})
}

// TestRegionsAreCutOfTheWhole cuts random regions and compares them with the
// same part of the whole picture from the same decoder.
func TestRegionsAreCutOfTheWhole(t *testing.T) {
	e := startEngine(t)
	r := rand.New(rand.NewPCG(3, 4))
	eachKind(t, func(t *testing.T, s testimages.File, o object) {
		whole := decoded(t, e, o, "full/max/0/default")
		regions := []image.Rectangle{
			image.Rect(0, 0, 1, 1),
			image.Rect(s.Width-1, s.Height-1, s.Width, s.Height),
			image.Rect(0, s.Height-1, s.Width, s.Height),
			image.Rect(s.Width-1, 0, s.Width, s.Height),
		}
		for range 4 {
			x, y := r.IntN(s.Width), r.IntN(s.Height)
			regions = append(regions, image.Rect(x, y, x+1+r.IntN(s.Width-x), y+1+r.IntN(s.Height-y)))
		}
		for _, region := range regions {
			got := decoded(t, e, o, fmt.Sprintf("%d,%d,%d,%d/max/0/default", region.Min.X, region.Min.Y, region.Dx(), region.Dy()))
			if d := testimages.Compare(got, cut(whole, region)); !d.Within(testimages.Exact) {
				t.Errorf("region %v: %v", region, d)
			}
		}
	})
}

// TestTilesMakeThePicture puts the tiles of each scale factor together and
// compares them with the whole picture at that size.
func TestTilesMakeThePicture(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"tiff-pyramid-jpeg.tif", "tiff-pyramid-subifd.tif", "jp2-tiled.jp2", "jpeg-444.jpg", "png-rgb.png"} {
		s, ok := testimages.Lookup(name)
		if !ok {
			t.Fatalf("no sample %s", name)
		}
		o := sample(t, s)
		for _, f := range []int{1, 2, 4, 8} {
			const tile = 128
			w, h := (s.Width+f-1)/f, (s.Height+f-1)/f
			joined := image.NewNRGBA(image.Rect(0, 0, w, h))
			for y := 0; y < h; y += tile {
				for x := 0; x < w; x += tile {
					rw, rh := min(tile*f, s.Width-x*f), min(tile*f, s.Height-y*f)
					tw, th := (rw+f-1)/f, (rh+f-1)/f
					got := decoded(t, e, o, fmt.Sprintf("%d,%d,%d,%d/%d,%d/0/default", x*f, y*f, rw, rh, tw, th))
					if got.Rect.Dx() != tw || got.Rect.Dy() != th {
						t.Fatalf("%s: tile %d,%d of 1/%d is %v", name, x, y, f, got.Rect)
					}
					draw.Draw(joined, image.Rect(x, y, x+tw, y+th), got, image.Point{}, draw.Src)
				}
			}
			ref := decoded(t, e, o, "full/max/0/default")
			inPlace(t, fmt.Sprintf("%s: tiles of 1/%d", name, f), s.Kind, joined, shrunk(ref, ref.Rect, w, h))
		}
	}
}

// TestEnlargingKeepsPlaces enlarges a symmetric picture: the result must be
// symmetric too.
func TestEnlargingKeepsPlaces(t *testing.T) {
	e := startEngine(t)
	im := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			v := uint8(255 - 6*max(abs(2*x-39), abs(2*y-29)))
			im.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	o := objectOf(pngOf(t, im))
	for _, size := range []string{"^41,31", "^43,30", "^40,33", "^100,75", "^100,20", "20,60", "27,19", "13,30", "40,11", "9,7", "4,3"} {
		got := decoded(t, e, o, "full/^"+strings.TrimPrefix(size, "^")+"/0/default")
		for _, turned := range []*image.NRGBA{transformed(got, true, 0), transformed(got, false, 180)} {
			if d := testimages.Compare(turned, got); d.Max > 2 {
				t.Errorf("%s is not symmetric: %v", size, d)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }
