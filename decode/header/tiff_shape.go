package header

import (
	"example.com/iiifd/decode/plan"
)

// The photometric interpretations that are told apart.
const (
	photometricWhite   = 0
	photometricBlack   = 1
	photometricRGB     = 2
	photometricPalette = 3
	photometricInks    = 5
	photometricYCbCr   = 6
	photometricCIELab  = 8
	photometricICCLab  = 9
	photometricITULab  = 10
)

const compressionJPEG = 7

// tiffCompressions gives the names of the shape's Compression.
var tiffCompressions = map[int64]string{
	1: "none", 2: "ccitt", 3: "ccitt", 4: "ccitt", 5: "lzw", 7: "jpeg", 8: "deflate",
	32773: "packbits", 32946: "deflate", 33003: "jp2", 33005: "jp2", 34712: "jp2",
	34887: "lerc", 50000: "zstd", 50001: "webp",
}

// describe fills the shape with what a page's directory says of its pixels.
func (r ifdReader) describe(page *tiffPage, s *plan.Shape) error {
	p := page.plane
	if p.width > maxSide || p.height > maxSide {
		return r.in.corrupt("a side longer than 10,000,000 pixels")
	}
	if p.samples > maxBands || p.bits > 128 {
		return r.in.corrupt("%d samples of %d bits", p.samples, p.bits)
	}
	s.Width, s.Height = int(p.width), int(p.height)
	s.Planar = p.planar
	s.Strips = int(min(p.pieces, r.in.size))
	s.BitsPerSample, s.Bands = int(p.bits), int(p.samples)
	s.Compression = tiffCompressions[p.compression]
	if s.Compression == "" {
		s.Compression = "other"
	}
	orientation, err := r.number(&page.dir, tagOrientation, 1)
	if err != nil {
		return err
	}
	s.Orientation = int(min(orientation, 9))
	format, err := r.number(&page.dir, tagSampleFormat, 1)
	if err != nil {
		return err
	}
	switch format {
	case 2, 5:
		s.Sample = plan.SampleInt
	case 3, 6:
		s.Sample = plan.SampleFloat
	}
	if err := r.colour(page, s); err != nil {
		return err
	}
	return r.profile(page, s)
}

// colour reads the colour model. Alpha is what vips_image_hasalpha (header.c)
// takes for it: any channel beyond those of the colours.
func (r ifdReader) colour(page *tiffPage, s *plan.Shape) error {
	colours := 0
	switch page.plane.photometric {
	case photometricWhite, photometricBlack, photometricMask:
		s.Colour, colours = plan.ColourGray, 1
	case photometricRGB:
		s.Colour, colours = plan.ColourRGB, 3
	case photometricYCbCr:
		s.Colour = plan.ColourYCbCr
		return r.subsampling(page, s)
	case photometricCIELab, photometricICCLab, photometricITULab:
		s.Colour, colours = plan.ColourLab, 3
	case photometricInks:
		s.Colour = plan.ColourOther
		inks, err := r.number(&page.dir, tagInkSet, 1)
		if err != nil {
			return err
		}
		if inks == 1 && s.Bands >= 4 {
			s.Colour, colours = plan.ColourCMYK, 4
		}
	case photometricPalette:
		return r.palette(page, s)
	default:
		s.Colour = plan.ColourOther
	}
	s.Alpha = colours > 0 && s.Bands > colours
	return nil
}

func (r ifdReader) subsampling(page *tiffPage, s *plan.Shape) error {
	e := page.dir.entry(tagYCbCrSubsampling)
	h, okH, err := r.value(e, 0)
	if err != nil {
		return err
	}
	v, okV, err := r.value(e, 1)
	if err != nil {
		return err
	}
	if !okH || !okV {
		h, v = 2, 2
	}
	if h < 1 || h > 4 || v < 1 || v > 4 {
		return r.in.corrupt("chroma subsampled by %d × %d", h, v)
	}
	s.Subsampling = subsamplingName(int(h), int(v))
	s.Alpha = s.Bands > 3
	return nil
}

// palette looks through the colour map: libvips decodes a map of grays to one
// channel (tiff2vips.c, parse_palette).
func (r ifdReader) palette(page *tiffPage, s *plan.Shape) error {
	s.Palette = true
	if s.BitsPerSample > 8 || s.Bands < 1 || s.Bands > 2 {
		return r.in.corrupt("a palette of %d × %d bits", s.Bands, s.BitsPerSample)
	}
	n := int64(1) << s.BitsPerSample
	e := page.dir.entry(tagColorMap)
	if e.typ != typeShort || e.count < 3*n {
		return r.in.corrupt("a palette image without its palette")
	}
	b, err := r.in.at(e.off, int(6*n))
	if err != nil {
		return err
	}
	s.Alpha = s.Bands == 2
	gray := true
	for i := range 2 * n {
		gray = gray && b[i] == b[2*n+i] && b[i] == b[4*n+i]
	}
	s.Colour = plan.ColourGray
	if !gray {
		s.Colour = plan.ColourRGB
		s.Bands += 2
	}
	return nil
}

func (r ifdReader) profile(page *tiffPage, s *plan.Shape) error {
	e := page.dir.entry(tagICC)
	if e.count == 0 || e.typ != typeUndefined && e.typ != typeByte {
		return nil
	}
	if e.off < 0 || e.off > r.in.size || e.count > r.in.size-e.off {
		return nil
	}
	s.ICCBytes = e.count
	s.SRGB = describesSRGB(r.in, span{off: e.off, len: e.count})
	return nil
}
