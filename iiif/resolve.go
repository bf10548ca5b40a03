package iiif

import "fmt"

// Resolve applies the parameters to an image (Image API 3.0 and 2.1, 4): the
// region is cut at the image's edges first, then sized, then held against
// the limits. max and !w,h are reduced to the limits, every other size above
// them is refused. Errors are *Error but for an image without pixels, which
// is the caller's fault.
func (p Params) Resolve(img Image, lim Limits) (Transform, error) {
	if img.Width <= 0 || img.Height <= 0 || img.Width > maxSide || img.Height > maxSide {
		return Transform{}, fmt.Errorf("image of %d by %d pixels", img.Width, img.Height)
	}
	region, err := p.Region.resolve(img)
	if err != nil {
		return Transform{}, err
	}
	s := sizing{version: p.Version, image: img, region: region, limits: lim}
	width, height, err := s.resolve(p.Size)
	if err != nil {
		return Transform{}, err
	}
	t := Transform{
		Image:   img,
		Region:  region,
		Width:   int(width),
		Height:  int(height),
		Mirror:  p.Rotation.Mirror,
		Angle:   p.Rotation.angle(),
		Quality: p.Quality.on(img),
		Format:  p.Format,
	}
	t.canonical = canonicalRegion(region, img) + "/" + s.canonical(width, height) + "/" +
		p.Rotation.String() + "/" + string(t.Quality) + "." + string(t.Format)
	return t, nil
}

// sizing is the size parameter's surroundings.
type sizing struct {
	version Version
	image   Image
	region  Rect
	limits  Limits
}

func (s sizing) resolve(size Size) (width, height int64, err error) {
	switch size.Kind {
	case SizeMax:
		width, height = s.largest(size.Upscale)
		return width, height, nil
	case SizeConfined:
		width, height = s.confined(size)
	default:
		width, height = s.asked(size)
	}
	switch {
	case width == 0 || height == 0:
		return 0, 0, sizeZero()
	case !size.mayEnlarge(s.version) && (width > int64(s.region.Width) || height > int64(s.region.Height)):
		return 0, 0, sizeUpscales()
	case width > maxSide || height > maxSide || !s.limits.allow(width, height):
		return 0, 0, badRequest(CodeSizeExceedsLimits, ParameterSize,
			"is larger than this image's maxWidth, maxHeight or maxArea")
	}
	return width, height, nil
}

// asked returns the sides that a size names or implies, limits aside.
func (s sizing) asked(size Size) (width, height int64) {
	rw, rh := int64(s.region.Width), int64(s.region.Height)
	switch size.Kind {
	case SizeWidth:
		return int64(size.Width), s.heightFor(int64(size.Width))
	case SizeHeight:
		return mulDivRounded(int64(size.Height), rw, rh), int64(size.Height)
	case SizePercent:
		return size.Percent.percentOf(rw), size.Percent.percentOf(rh)
	case SizeExact:
		return int64(size.Width), int64(size.Height)
	default:
		return rw, rh
	}
}

// heightFor returns the height that goes with a width, rounded half up. In
// 2.x, viewers ask for tiles and listed sizes as "w,", and each of those must
// work (Image API 2.1, 5.2 and 5.3): where the width is that of a pyramid
// level, a height of less than half a pixel is still 1, as it is in the list.
func (s sizing) heightFor(width int64) int64 {
	height := mulDivRounded(width, int64(s.region.Height), int64(s.region.Width))
	if height == 0 && s.version == V2 && isLevel(int64(s.region.Width), width) {
		return 1
	}
	return height
}

// isLevel tells whether reduced is full divided by a power of two of at most
// full, rounded up.
func isLevel(full, reduced int64) bool {
	for factor := int64(1); factor <= full; factor *= 2 {
		if (full-1)/factor+1 == reduced {
			return true
		}
	}
	return false
}

// confined returns the result of !w,h. A box larger than the region gives
// the region's own size, not an error: "as large as possible but not larger
// than the extracted region, w, h or the server limits" (Image API 3.0, 4.2).
func (s sizing) confined(size Size) (width, height int64) {
	boxWidth, boxHeight := s.limits.box()
	boxWidth, boxHeight = min(boxWidth, int64(size.Width)), min(boxHeight, int64(size.Height))
	if !size.Upscale {
		boxWidth, boxHeight = min(boxWidth, int64(s.region.Width)), min(boxHeight, int64(s.region.Height))
	}
	width, height = fit(s.region, boxWidth, boxHeight)
	return s.limits.fitArea(s.region, width, height)
}

// largest returns the result of max, or of ^max. Where nothing limits
// scaling up, both are the same. No image is without a largest size, so a
// side is at least 1.
func (s sizing) largest(upscale bool) (width, height int64) {
	boxWidth, boxHeight := s.limits.box()
	if !upscale || !s.limits.bounded() {
		boxWidth, boxHeight = min(boxWidth, int64(s.region.Width)), min(boxHeight, int64(s.region.Height))
	}
	width, height = fit(s.region, boxWidth, boxHeight)
	return s.limits.fitArea(s.region, max(1, width), max(1, height))
}
