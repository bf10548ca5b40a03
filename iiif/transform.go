package iiif

// Image is what resolving a request needs to know of a source: its upright
// size in pixels and whether it is gray (which decides what the word
// "default" covers in canonical URIs).
type Image struct {
	Width, Height int
	Gray          bool
}

// Limits bounds the output of a request, before rotation. Zero means no
// limit for that measure. MaxHeight without MaxWidth is not valid; MaxWidth
// alone implies MaxHeight = MaxWidth (Image API 3.0, 5.3).
type Limits struct {
	MaxWidth, MaxHeight int
	MaxArea             int64
}

// Rect is a rectangle in pixels.
type Rect struct{ X, Y, Width, Height int }

// Transform is a request resolved against one image: whole pixels, no
// percentages left, every limit already applied.
type Transform struct {
	Image  Image
	Region Rect // in upright full-size pixels, inside the image
	Width  int  // of the scaled region, before rotation
	Height int

	Mirror bool    // left-right, before rotation
	Angle  float64 // clockwise degrees in [0, 360)

	Quality Quality
	Format  Format

	canonical string
}
