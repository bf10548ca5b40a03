package plan

import "example.com/iiifd/iiif"

// ICC says what becomes of colour profiles.
type ICC string

// The treatments of colour profiles. Convert turns pixels into sRGB and
// drops the profile, Keep embeds the source's profile and leaves the pixels
// alone, Strip drops the profile and leaves the pixels alone. CMYK and Lab
// sources are converted in every mode where the output cannot hold them.
const (
	ICCConvert ICC = "convert"
	ICCKeep    ICC = "keep"
	ICCStrip   ICC = "strip"
)

// Options are the settings that change what a plan does. They belong to the
// engine and the mount, not to the request.
type Options struct {
	// Limits bounds the output, see iiif.Limits.
	Limits iiif.Limits
	ICC    ICC
	// Background is the sRGB colour under transparent pixels and in the
	// corners of rotated images where the format has no transparency.
	Background [3]uint8

	// Qualities are 1 to 100; 0 means the format's default.
	JPEGQuality, WebPQuality, AVIFQuality, JXLQuality, JP2Quality int
	// JPEGSubsampling is "4:2:0" or "4:4:4"; empty means 4:2:0.
	JPEGSubsampling string

	// KeepDepth keeps more than 8 bits per sample where the format can hold
	// them (tif and png).
	KeepDepth bool
	// PNGCompression is the zlib level 1 to 9; 0 means 6.
	PNGCompression int
	// View, where it is set, is the upright size as which the picture is
	// shown: requests are resolved against it, and what they get is made of
	// the picture reduced to that size and of nothing finer.
	View iiif.Dimensions
	// Mark is laid over the picture; the zero value is none.
	Mark Mark
	// Pyramid writes tif as a pyramid of JPEG tiles, into a file only.
	Pyramid bool
	// ShortPath lets plans that are simple enough go around libvips.
	ShortPath bool
	// StoredTiles lets a stored JPEG tile that is exactly what was asked for
	// be passed on as it is, in the quality it was stored with. It needs
	// ShortPath.
	StoredTiles bool
	// VipsVersion is 10000·major + 100·minor + micro of the libvips that
	// will execute the plan; prices differ between versions.
	VipsVersion int
}
