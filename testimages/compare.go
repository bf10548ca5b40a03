package testimages

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"
)

// Tolerance bounds a difference, in units of 8-bit samples (0 to 255).
type Tolerance struct {
	// Max is the largest difference of any one sample, Mean that of all on
	// average.
	Max, Mean float64
}

// Exact allows no difference.
var Exact = Tolerance{}

// Diff is how two pictures differ, in units of 8-bit samples. Samples are
// compared with their alpha multiplied in, so that the colour under wholly
// transparent pixels does not count.
type Diff struct {
	Max, Mean float64
	// Where is the first pixel, counted from the pictures' own top left
	// corners, that differs by Max.
	Where image.Point
	// Got and Want are the sizes. Where they are not the same, Max and Mean
	// are infinite.
	Got, Want image.Point
}

// Within tells that the difference is not above the tolerance.
func (d Diff) Within(tol Tolerance) bool { return d.Max <= tol.Max && d.Mean <= tol.Mean }

// String describes the difference for a test's log.
func (d Diff) String() string {
	if d.Got != d.Want {
		return fmt.Sprintf("size %v, want %v", d.Got, d.Want)
	}
	return fmt.Sprintf("max %.2f at %v, mean %.4f", d.Max, d.Where, d.Mean)
}

// Compare measures how got differs from want, over red, green, blue and alpha.
func Compare(got, want image.Image) Diff {
	gb, wb := got.Bounds(), want.Bounds()
	d := Diff{Got: gb.Size(), Want: wb.Size()}
	if d.Got != d.Want {
		d.Max, d.Mean = math.Inf(1), math.Inf(1)
		return d
	}
	g, w := samplesOf(got), samplesOf(want)
	var sum, most uint64
	for y := range d.Want.Y {
		for x := range d.Want.X {
			pixel, total := distance(g.RGBA64At(gb.Min.X+x, gb.Min.Y+y), w.RGBA64At(wb.Min.X+x, wb.Min.Y+y))
			sum += total
			if pixel > most {
				most, d.Where = pixel, image.Pt(x, y)
			}
		}
	}
	d.Max = float64(most) / 257
	if n := 4 * d.Want.X * d.Want.Y; n > 0 {
		d.Mean = float64(sum) / 257 / float64(n)
	}
	return d
}

// samplesOf gives an image without RGBA64At one.
func samplesOf(img image.Image) image.RGBA64Image {
	if direct, ok := img.(image.RGBA64Image); ok {
		return direct
	}
	b := img.Bounds()
	out := image.NewRGBA64(b)
	draw.Draw(out, b, img, b.Min, draw.Src)
	return out
}

// distance returns the largest and the summed difference of two colours'
// samples of 16 bits.
func distance(a, b color.RGBA64) (most, sum uint64) {
	for _, s := range [4][2]uint16{{a.R, b.R}, {a.G, b.G}, {a.B, b.B}, {a.A, b.A}} {
		diff := uint64(max(s[0], s[1]) - min(s[0], s[1]))
		most = max(most, diff)
		sum += diff
	}
	return most, sum
}

// Equal fails the test, which goes on, where got differs from want by more
// than the tolerance.
func Equal(tb testing.TB, got, want image.Image, tol Tolerance) {
	tb.Helper()
	if d := Compare(got, want); !d.Within(tol) {
		tb.Errorf("picture differs: %v; tolerance: max %v, mean %v", d, tol.Max, tol.Mean)
	}
}
