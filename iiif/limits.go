package iiif

import (
	"errors"
	"math"
	"math/bits"
)

// maxSide bounds every side: two sides multiply without overflow, and no
// encoder writes more.
const maxSide = math.MaxInt32

// Limits bounds the output of a request, before rotation. Zero means no
// limit for that measure. MaxHeight without MaxWidth is not valid; MaxWidth
// alone implies MaxHeight = MaxWidth (Image API 3.0, 5.3).
type Limits struct {
	MaxWidth, MaxHeight int   // pixels
	MaxArea             int64 // pixels
}

// Validate reports limits that info.json cannot express.
func (l Limits) Validate() error {
	if l.MaxWidth < 0 || l.MaxHeight < 0 || l.MaxArea < 0 {
		return errors.New("limits must not be negative")
	}
	if l.MaxHeight > 0 && l.MaxWidth == 0 {
		return errors.New("maxHeight needs maxWidth")
	}
	return nil
}

// box returns the limits of both sides, with maxSide where there is none.
func (l Limits) box() (width, height int64) {
	width, height = int64(l.MaxWidth), int64(l.MaxHeight)
	if height == 0 {
		height = width
	}
	if width == 0 {
		width = maxSide
	}
	if height == 0 {
		height = maxSide
	}
	return min(width, maxSide), min(height, maxSide)
}

// bounded tells whether anything limits scaling up.
func (l Limits) bounded() bool { return l.MaxWidth > 0 || l.MaxHeight > 0 || l.MaxArea > 0 }

// allow tells whether a result of these sides holds every limit.
func (l Limits) allow(width, height int64) bool {
	w, h := l.box()
	return width <= w && height <= h && (l.MaxArea == 0 || width*height <= l.MaxArea)
}

// fit returns the largest size of the region's aspect ratio within a box: the
// side that binds is exact, the other one is rounded half up. It can be 0
// for extreme ratios.
func fit(region Rect, boxWidth, boxHeight int64) (width, height int64) {
	rw, rh := int64(region.Width), int64(region.Height)
	if boxWidth*rh <= boxHeight*rw {
		return boxWidth, mulDivRounded(boxWidth, rh, rw)
	}
	return mulDivRounded(boxHeight, rw, rh), boxHeight
}

// fitArea shrinks a size of the region's aspect ratio until it holds
// MaxArea. Both sides are the floor of the exact ones, so that the limit
// holds whatever the ratio.
func (l Limits) fitArea(region Rect, width, height int64) (int64, int64) {
	if l.MaxArea == 0 || width*height <= l.MaxArea {
		return width, height
	}
	rw, rh := uint64(region.Width), uint64(region.Height)
	width = max(1, min(width, rootOfProduct(uint64(l.MaxArea), rw, rh)))
	height = max(1, min(height, rootOfProduct(uint64(l.MaxArea), rh, rw)))
	// A ratio beyond the area itself leaves one side at a single pixel.
	if width*height > l.MaxArea {
		width, height = min(width, max(1, l.MaxArea/height)), min(height, l.MaxArea)
	}
	return width, height
}

// rootOfProduct returns the floor of sqrt(a·b/c), at most maxSide.
func rootOfProduct(a, b, c uint64) int64 {
	high, low := bits.Mul64(a, b)
	if high >= c {
		return maxSide
	}
	quotient, _ := bits.Div64(high, low, c)
	// Rounding to float64 can only lift the root of a number this small to
	// the next integer, never lower it.
	root := min(uint64(math.Sqrt(float64(quotient))), maxSide)
	if root*root > quotient {
		root--
	}
	return int64(root)
}
