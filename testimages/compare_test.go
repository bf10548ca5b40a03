package testimages_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/testimages"
)

// TestCompareFindsTheWorstPixel: one changed sample is found, where it is and
// how large, in pictures of different types and origins.
func TestCompareFindsTheWorstPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height")
		at := image.Pt(rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y"))
		by := rapid.IntRange(1, 100).Draw(t, "difference")
		want := image.NewNRGBA(image.Rect(0, 0, w, h))
		got := image.NewRGBA(image.Rect(5, 7, 5+w, 7+h))
		for y := range h {
			for x := range w {
				want.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), 50, 255})
				got.SetRGBA(5+x, 7+y, color.RGBA{uint8(x), uint8(y), 50, 255})
			}
		}
		if d := testimages.Compare(got, want); d.Max != 0 || d.Mean != 0 {
			t.Fatalf("equal pictures differ: %v", d)
		}
		c := got.RGBAAt(5+at.X, 7+at.Y)
		c.B += uint8(by)
		got.SetRGBA(5+at.X, 7+at.Y, c)
		d := testimages.Compare(got, want)
		if d.Max != float64(by) || d.Where != at || math.Abs(d.Mean-float64(by)/float64(4*w*h)) > 1e-9 {
			t.Fatalf("%v, want max %d at %v", d, by, at)
		}
	})
}

// TestCompareSizes: pictures of different sizes are never within a tolerance.
func TestCompareSizes(t *testing.T) {
	d := testimages.Compare(image.NewGray(image.Rect(0, 0, 3, 4)), image.NewGray(image.Rect(0, 0, 4, 3)))
	if d.Within(testimages.Tolerance{Max: 255, Mean: 255}) {
		t.Errorf("passes: %v", d)
	}
}

// TestHiddenColourDoesNotCount: what lies under alpha 0 may be anything.
func TestHiddenColourDoesNotCount(t *testing.T) {
	a, b := image.NewNRGBA(image.Rect(0, 0, 1, 1)), image.NewNRGBA(image.Rect(0, 0, 1, 1))
	a.SetNRGBA(0, 0, color.NRGBA{200, 100, 50, 0})
	testimages.Equal(t, a, b, testimages.Exact)
}
