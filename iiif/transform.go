package iiif

import "math"

// Image is what resolving a request needs to know of a source: its upright
// size in pixels and whether it is gray (which decides what the word
// "default" covers in canonical URIs).
type Image struct {
	Width, Height int
	Gray          bool
}

// Rect is a rectangle in pixels.
type Rect struct{ X, Y, Width, Height int }

// Transform is a request resolved against one image: whole pixels, no
// percentages left, every limit already applied. Transforms with the same
// result for the same image and version are equal with ==.
type Transform struct {
	Image  Image
	Region Rect // in upright full-size pixels, inside the image
	Width  int  // of the scaled region, before rotation
	Height int

	Mirror bool    // left-right, before rotation
	Angle  float64 // clockwise degrees in [0, 360)

	// Quality is QualityDefault also where another word means the same on
	// this image: color on a colour image, gray on a gray one.
	Quality Quality
	Format  Format

	canonical string
}

// Canonical returns "region/size/rotation/quality.format", unescaped, in the
// form that the version of the request prescribes (Image API 3.0 and 2.1,
// 4.7). Parsing and resolving it on the same image under the same limits
// gives the same Transform.
func (t Transform) Canonical() string { return t.canonical }

// OutputSize returns the size after rotation: the sides of the bounding box,
// rounded half up and at least 1 pixel.
func (t Transform) OutputSize() (width, height int) {
	w, h := boundingBox(float64(t.Width), float64(t.Height), t.Angle)
	return max(1, int(math.Floor(w+0.5))), max(1, int(math.Floor(h+0.5)))
}

// WholeImage tells whether the region is all of the image.
func (t Transform) WholeImage() bool { return t.Region.covers(t.Image) }

func (r Rect) covers(img Image) bool {
	return r == Rect{Width: img.Width, Height: img.Height}
}
