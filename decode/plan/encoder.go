package plan

import (
	"fmt"

	"example.com/iiifd/iiif"
)

// Encoder says how a plan's picture is written.
type Encoder struct {
	Format iiif.Format
	// Quality is 1 to 100, 0 for lossless formats.
	Quality int
	// Subsampling is "4:2:0" or "4:4:4" for JPEG, empty elsewhere.
	Subsampling string
	// Compression is the zlib level of PNG, 0 elsewhere.
	Compression int
	// Bits per sample: 1 (bitonal png), 8 or 16.
	Bits int
	// Alpha tells that the format can hold the transparency that the
	// picture may have; without it the picture is flattened first.
	Alpha bool
	// Pyramid tells that a tif has levels and JPEG tiles.
	Pyramid bool
	// Profile tells that the source's colour profile is embedded.
	Profile bool
}

// capability is what a format can hold.
type capability struct {
	maxSide int // 0 means no limit below 2³¹
	alpha   bool
	deep    bool // 16 bits per sample
	whole   bool // the encoder begins when it has the whole picture
}

// capabilities has a row per writable format. The sides come from the
// formats themselves: JPEG and GIF count sides in 16 bits, WebP in 14; AV1
// encoders here refuse more than 16,384.
var capabilities = map[iiif.Format]capability{
	iiif.FormatJPG:  {maxSide: 65535},
	iiif.FormatPNG:  {alpha: true, deep: true},
	iiif.FormatWebP: {maxSide: 16383, alpha: true, whole: true},
	iiif.FormatTIF:  {alpha: true, deep: true},
	iiif.FormatGIF:  {maxSide: 65535, alpha: true, whole: true},
	iiif.FormatJP2:  {},
	iiif.FormatPDF:  {maxSide: 65535},
	iiif.FormatAVIF: {maxSide: 16384, alpha: true, whole: true},
	iiif.FormatJXL:  {alpha: true, whole: true},
}

// MaxSide returns the longest side in pixels that f can hold, 0 where
// nothing below 2³¹ limits it.
func MaxSide(f iiif.Format) int { return capabilities[f].maxSide }

// whole tells that nothing is written before the whole picture is there.
func (e Encoder) whole() bool { return capabilities[e.Format].whole }

// SizeError reports an output that its format cannot hold.
type SizeError struct {
	Format        iiif.Format
	Width, Height int
	Max           int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%d×%d pixels exceed the %d that %s can hold on a side", e.Width, e.Height, e.Max, e.Format)
}

// FormatError reports a format that cannot be written.
type FormatError struct{ Format iiif.Format }

func (e *FormatError) Error() string {
	return fmt.Sprintf("format %q cannot be written", string(e.Format))
}

// PyramidTile is the side of the tiles of a pyramid, in pixels.
const PyramidTile = 256

// pyramidQuality is that of the tiles of a pyramid, from which others are
// made.
const pyramidQuality = 90

// newEncoder chooses the settings for t's format.
func newEncoder(s Shape, t iiif.Transform, o Options) (Encoder, error) {
	c, ok := capabilities[t.Format]
	if !ok {
		return Encoder{}, &FormatError{Format: t.Format}
	}
	e := Encoder{Format: t.Format, Bits: 8, Alpha: c.alpha}
	switch t.Format {
	case iiif.FormatJPG, iiif.FormatPDF:
		e.Quality, e.Subsampling = or(o.JPEGQuality, 80), or(o.JPEGSubsampling, "4:2:0")
	case iiif.FormatWebP:
		e.Quality = or(o.WebPQuality, 80)
	case iiif.FormatAVIF:
		e.Quality = or(o.AVIFQuality, 60)
	case iiif.FormatJXL:
		e.Quality = or(o.JXLQuality, 80)
	case iiif.FormatJP2:
		e.Quality = or(o.JP2Quality, 80)
	case iiif.FormatPNG:
		e.Compression = or(o.PNGCompression, 6)
	}
	switch {
	case t.Quality == iiif.QualityBitonal:
		e.Alpha = false
		if t.Format == iiif.FormatPNG {
			e.Bits = 1
		}
	case o.KeepDepth && c.deep && s.BitsPerSample > 8:
		e.Bits = 16
	}
	if o.Pyramid && t.Format == iiif.FormatTIF {
		e.Pyramid, e.Quality, e.Bits, e.Alpha = true, pyramidQuality, 8, false
	}
	e.Profile = o.ICC == ICCKeep && s.ICCBytes > 0 && t.Format != iiif.FormatGIF && !s.convertedAlways() && !s.early() &&
		(t.Quality == iiif.QualityDefault || t.Quality == iiif.QualityColor || s.Gray())
	return e, nil
}

// or returns v, or def where v is the zero value.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
