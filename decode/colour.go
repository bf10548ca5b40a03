package decode

// #include "bridge.h"
import "C"

import (
	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
)

// colour brings samples to sRGB or gray of the output's depth.
func colour(j *job) error {
	if j.pic.Coding() == vips.CodingLABQ {
		// Straight to sRGB libvips would dither, each region in its own way.
		if err := j.bind(func() error { return j.pic.ToColorSpace(vips.InterpretationLAB) }); err != nil {
			return err
		}
	}
	if err := j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_whole_samples(im) }); err != nil {
		return err
	}
	if j.usesProfile() {
		// Without a profile CMYK gets the configured one.
		convert := func() error {
			return j.pic.TransformICCProfileWithFallback("srgb", j.engine.config.DefaultCMYK)
		}
		if err := j.bind(convert); err != nil {
			return err
		}
	}
	return j.bind(func() error { return j.pic.ToColorSpace(j.target()) })
}

// usesProfile tells whether colours go through an ICC profile.
func (j *job) usesProfile() bool {
	s := j.plan.Shape
	if j.pic.Interpretation() == vips.InterpretationCMYK {
		return true
	}
	return j.plan.Options.ICC == plan.ICCConvert && s.ICCBytes > 0 && !s.SRGB &&
		s.Sample == plan.SampleUint && s.Colour != plan.ColourLab
}

// target is the colour space of the output.
func (j *job) target() vips.Interpretation {
	deep := j.plan.Encoder.Bits == 16
	colours := j.pic.Bands()
	if j.pic.HasAlpha() {
		colours--
	}
	switch {
	case colours < 3 && deep:
		return vips.InterpretationGrey16
	case colours < 3:
		return vips.InterpretationBW
	case deep:
		return vips.InterpretationRGB16
	}
	return vips.InterpretationSRGB
}
