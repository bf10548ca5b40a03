package decode

// #cgo pkg-config: libopenjp2
// #include "jp2.h"
import "C"

import (
	"errors"

	"example.com/iiifd/decode/plan"
)

// openJP2 opens the planned part of a JPEG 2000 source, already cropped.
func openJP2(source *C.VipsSource, p plan.Plan) (*C.VipsImage, error) {
	s := p.Shape
	options := C.IiifdJp2{
		reduce: C.int(s.Levels[p.Level].Reduction),
		left:   C.int(p.Crop.X), top: C.int(p.Crop.Y), width: C.int(p.Crop.Width), height: C.int(p.Crop.Height),
		bands: C.int(s.Bands), interpretation: C.int(jp2Interpretation(s)),
		rows: C.int(p.BandRows),
	}
	if s.Colour == plan.ColourYCbCr {
		options.ycc = 1
	}
	im := C.iiifd_jp2_load(source, &options)
	if im == nil {
		return nil, errors.New(takeError())
	}
	return im, nil
}

// jp2Interpretation is libvips' word for what the channels mean.
func jp2Interpretation(s plan.Shape) C.VipsInterpretation {
	deep := s.BitsPerSample > 8
	switch {
	case s.Colour == plan.ColourCMYK:
		return C.VIPS_INTERPRETATION_CMYK
	case s.Gray() && deep:
		return C.VIPS_INTERPRETATION_GREY16
	case s.Gray():
		return C.VIPS_INTERPRETATION_B_W
	case deep:
		return C.VIPS_INTERPRETATION_RGB16
	}
	return C.VIPS_INTERPRETATION_sRGB
}
