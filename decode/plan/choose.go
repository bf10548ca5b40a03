package plan

import (
	"math"

	"example.com/iiifd/iiif"
)

// Access is how a decoder hands out pixels.
type Access string

// The ways of access. Sequential decoders go through a source once, from top
// to bottom; random ones fetch any tile.
const (
	AccessSequential Access = "sequential"
	AccessRandom     Access = "random"
)

// reduction is one way of loading a source smaller than it is stored.
type reduction struct {
	level         int
	shrink        int
	width, height int // as loaded
	// exact tells that pixel i of the loaded axis covers exactly the shrink
	// stored pixels from i·shrink on, so that positions are divided by
	// shrink instead of by the sizes' ratio.
	exact bool
}

// jpegShrinks are the reductions that libjpeg's inverse DCT offers.
var jpegShrinks = []int{8, 4, 2}

// reductions lists the ways of loading s, smallest result first; the last is
// the full size.
func reductions(s Shape) []reduction {
	var rs []reduction
	for i := len(s.Levels) - 1; i > 0; i-- {
		l := s.Levels[i]
		if s.Loader == LoaderJP2 {
			k := 1 << l.Reduction
			// A picture of one pixel has levels too, all of its own size.
			if w, h := ceilDiv(s.Width, k), ceilDiv(s.Height, k); w < s.Width || h < s.Height {
				rs = append(rs, reduction{i, 1, w, h, true})
			}
		} else if fits(s.Width, s.Height, l.Width, l.Height) {
			rs = append(rs, reduction{i, 1, l.Width, l.Height, false})
		}
	}
	switch s.Loader {
	case LoaderJPEG:
		for _, k := range jpegShrinks {
			// libvips leaves out the part of a pixel that may remain at the
			// right and at the bottom (jpeg2vips.c).
			if s.Width >= k && s.Height >= k {
				rs = append(rs, reduction{0, k, s.Width / k, s.Height / k, true})
			}
		}
	case LoaderWebP:
		if !s.Animated {
			rs = append(rs, webpReductions(s)...)
		}
	}
	return append(rs, reduction{0, 1, s.Width, s.Height, true})
}

// webpReductions are those of libwebp's scaler; it takes any size, and
// halvings keep positions simple.
func webpReductions(s Shape) []reduction {
	var rs []reduction
	for k := 64; k > 1; k /= 2 {
		if s.Width/k > 0 && s.Height/k > 0 {
			rs = append(rs, reduction{0, k, rounded(s.Width, k), rounded(s.Height, k), false})
		}
	}
	return rs
}

// fits tells whether w × h is width × height shrunk by one factor, each side
// rounded down or up.
func fits(width, height, w, h int) bool {
	if w < 1 || h < 1 || w > width || h > height {
		return false
	}
	lowW, highW := factors(width, w)
	lowH, highH := factors(height, h)
	return max(lowW, lowH) < min(highW, highH)
}

// factors returns the open interval of the factors by which full, divided
// and rounded down or up, gives part.
func factors(full, part int) (low, high float64) {
	low, high = float64(full)/float64(part+1), math.Inf(1)
	if part > 1 {
		high = float64(full) / float64(part-1)
	}
	return low, high
}

// choose returns the reduction that loads the fewest pixels and still has as
// many as the output of width × height pixels needs. region is in stored
// pixels, width and height too (before any turn).
func choose(s Shape, region iiif.Rect, width, height int) reduction {
	rs := reductions(s)
	for _, r := range rs {
		if enough(r.width, s.Width, region.Width, width) && enough(r.height, s.Height, region.Height, height) {
			return r
		}
	}
	return rs[len(rs)-1]
}

// enough tells whether length stored pixels of an axis, loaded at
// loaded/stored of their number, make want output pixels: less than one may
// be missing (an edge tile's size is rounded up), and never half of them.
// What is not shrunk is taken from the full size.
func enough(loaded, stored, length, want int) bool {
	if length <= want {
		return loaded == stored
	}
	have := float64(length) / nominal(loaded, stored)
	return have > float64(want)-1 && 2*have >= float64(want)*0.98
}

// nominal returns the factor that a size was made with: the power of two or
// else the whole number whose quotient it is, rounded either way, else the
// sizes' ratio.
func nominal(loaded, stored int) float64 {
	ratio := float64(stored) / float64(loaded)
	for _, k := range [2]int{1 << int(math.Round(math.Log2(ratio))), int(math.Round(ratio))} {
		if loaded == stored/k || loaded == ceilDiv(stored, k) {
			return float64(k)
		}
	}
	return ratio
}

// crop maps region from stored pixels to those that r loads. padX and padY
// are the pixels to be repeated at the right and at the bottom.
func (r reduction) crop(s Shape, region iiif.Rect, width, height int) (c iiif.Rect, padX, padY int) {
	fx, fy := float64(s.Width)/float64(r.width), float64(s.Height)/float64(r.height)
	if s.Loader == LoaderTIFF {
		// Levels leave out, or add, a part of a pixel at the far edges; the
		// others lie where the whole factor says.
		fx, fy = nominal(r.width, s.Width), nominal(r.height, s.Height)
	}
	if r.exact {
		k := float64(r.shrink)
		if s.Loader == LoaderJP2 {
			k = float64(int(1) << s.Levels[r.level].Reduction)
		}
		fx, fy = k, k
	}
	c.X, c.Width, padX = axis{s.Width, r.width, width, fx}.crop(region.X, region.Width)
	c.Y, c.Height, padY = axis{s.Height, r.height, height, fy}.crop(region.Y, region.Height)
	return c, padX, padY
}

// access chooses how the source is read. Tiled sources are read at random
// but where most of the picture is shrunk away: libvips then asks for lines
// again and again, and one pass with its line caches is cheaper.
func access(s Shape, r reduction, crop iiif.Rect, width, height int) Access {
	switch s.Loader {
	case LoaderJP2:
		return AccessRandom
	case LoaderTIFF:
		l := s.Levels[r.level]
		if !l.Tiled {
			return AccessSequential
		}
		if residual := math.Min(float64(crop.Width)/float64(width), float64(crop.Height)/float64(height)); residual >= 4 {
			return AccessSequential
		}
		return AccessRandom
	}
	return AccessSequential
}

const (
	// bandPixels is how much of a JPEG 2000 picture is decoded at once at
	// most: with three channels, OpenJPEG's integers then take 96 MiB.
	bandPixels = 8 << 20
	// piecePixels is how many pixels of a tiled picture decode asks OpenJPEG
	// for at once, unless a tile has more (jp2.c, PIECE).
	piecePixels = 1 << 20
	// rowPixels is how much a row of tiles may have to be kept as one band.
	rowPixels = 32 << 20
)

// bandRows returns how many rows of a crop of l are kept together once they
// are decoded. Bands of tiled pictures are whole rows of tiles, since a tile
// that is cut is decoded again for the other part.
func bandRows(crop iiif.Rect, l Level) int {
	if l.Tiled && l.TileHeight > 0 && crop.Width <= rowPixels/l.TileHeight {
		return l.TileHeight * max(1, piecePixels/(crop.Width*l.TileHeight))
	}
	return min(max(1, bandPixels/crop.Width), crop.Height)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// rounded divides as libvips does for scaled WebP (webp2vips.c).
func rounded(a, b int) int { return int(math.RoundToEven(float64(a) / float64(b))) }
