package iiif

import "strconv"

func canonicalRegion(region Rect, img Image) string {
	if region.covers(img) {
		return "full"
	}
	return region.String()
}

// canonical returns the size parameter that stands for a resolved size. What
// it returns always resolves to that size again.
func (s sizing) canonical(width, height int64) string {
	if s.version == V2 {
		return s.canonical2(width, height)
	}
	return s.canonical3(width, height)
}

// canonical3 follows Image API 3.0, 4.7: max, ^max, w,h or ^w,h.
func (s sizing) canonical3(width, height int64) string {
	size := Size{Kind: SizeExact, Width: int(width), Height: int(height)}
	if w, h := s.largest(false); w == width && h == height {
		return Size{Kind: SizeMax}.String()
	}
	if width > int64(s.region.Width) || height > int64(s.region.Height) {
		size.Upscale = true
		if w, h := s.largest(true); w == width && h == height {
			size = Size{Kind: SizeMax, Upscale: true}
		}
	}
	return size.String()
}

// canonical2 follows Image API 2.1, 4.7: full, "w," where that gives the same
// height again, else w,h.
func (s sizing) canonical2(width, height int64) string {
	if width == int64(s.region.Width) && height == int64(s.region.Height) {
		return "full"
	}
	w := strconv.FormatInt(width, 10)
	if s.heightFor(width) == height {
		return w + ","
	}
	return w + "," + strconv.FormatInt(height, 10)
}
