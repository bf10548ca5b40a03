package iiif

import "math"

// PixelBound returns an upper bound of the output's pixels, rotation
// included, that follows from the parameters alone: it holds for every image
// and every limit. It is not known where nothing in the URL bounds the
// result (such as full/max, or ^max). The bound is saturated at the largest
// int64. A region may be cut to any smaller one by the image's edges, so "w,"
// is bounded by the region's height, not by its aspect ratio.
//
// 2.x has no sign for a size that may enlarge: "w," and ",h" of no more than
// the region's own sides are taken for a reduction there, as tiles are. The
// bound does not hold for them where the image's edge cuts the region so far
// that they enlarge what is left.
func (p Params) PixelBound() (n int64, known bool) {
	w, h, known := p.sideBounds()
	if !known {
		return 0, false
	}
	angle := p.Rotation.angle()
	if angle == 0 || angle == 90 || angle == 180 || angle == 270 {
		return mulSaturated(w, h), true
	}
	bw, bh := boundingBox(float64(w), float64(h), angle)
	return saturatedCeil(math.Ceil(bw+0.5) * math.Ceil(bh+0.5)), true
}

func saturatedCeil(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(f)
}

// sideBounds bounds the sides before rotation.
func (p Params) sideBounds() (w, h int64, known bool) {
	cut, enlarges := p.Region.Kind == RegionPixels, p.enlarges()
	rw, rh := int64(math.MaxInt64), int64(math.MaxInt64)
	if cut {
		rw, rh = int64(p.Region.Pixels.Width), int64(p.Region.Pixels.Height)
	}
	switch p.Size.Kind {
	case SizeExact, SizeConfined:
		w, h, known = int64(p.Size.Width), int64(p.Size.Height), true
	case SizeWidth:
		w = int64(p.Size.Width)
		h, known = p.impliedBound(w, rh, enlarges)
	case SizeHeight:
		h = int64(p.Size.Height)
		w, known = p.impliedBound(h, rw, enlarges)
	case SizePercent:
		w, h, known = p.Size.Percent.percentOf(rw), p.Size.Percent.percentOf(rh), cut
	default:
		w, h, known = rw, rh, cut && !p.Size.Upscale
	}
	if !enlarges {
		w, h = min(w, rw), min(h, rh)
	}
	return w, h, known
}

// enlarges tells whether the result is to be reckoned larger than the region
// that is asked for.
func (p Params) enlarges() bool {
	if p.Size.Upscale || !p.Size.mayEnlarge(p.Version) {
		return p.Size.Upscale
	}
	if p.Size.Kind == SizePercent {
		return p.Size.Percent.exceeds(100)
	}
	region := p.Region.Pixels
	return p.Region.Kind == RegionPixels && (p.Size.Width > region.Width || p.Size.Height > region.Height)
}

// impliedBound bounds the side that follows from the given one by the
// region's aspect ratio: the narrowest region that the edges can leave is one
// pixel wide.
func (p Params) impliedBound(given, otherRegionSide int64, enlarges bool) (bound int64, known bool) {
	switch {
	case p.Region.Kind == RegionSquare:
		return given, true
	case enlarges:
		otherRegionSide = mulSaturated(given, otherRegionSide)
	}
	return otherRegionSide, p.Region.Kind == RegionPixels
}
