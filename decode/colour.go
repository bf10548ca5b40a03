package decode

// #include "bridge.h"
import "C"

import (
	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
)

// colour brings samples to sRGB or gray of the output's depth.
func colour(j *job) error {
	if err := j.integral(); err != nil {
		return err
	}
	deep := j.plan.Encoder.Bits == 16
	if j.usesProfile() {
		if err := j.bind(func() error { return j.transform(deep) }); err != nil {
			return err
		}
	}
	return j.bind(func() error { return j.pic.ToColorSpace(j.target(deep)) })
}

// integral shifts whole numbers of 32 bits, which libvips would clip, into
// 16.
func (j *job) integral() error {
	switch j.pic.BandFormat() {
	case vips.BandFormatUint:
		return j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_shift_cast(im, C.VIPS_FORMAT_USHORT) })
	default:
		return nil
	}
}

// usesProfile tells whether colours go through an ICC profile.
func (j *job) usesProfile() bool {
	if j.pic.Interpretation() == vips.InterpretationCMYK {
		return true
	}
	return j.plan.Options.ICC == plan.ICCConvert && j.plan.Shape.ICCBytes > 0 && !j.plan.Shape.SRGB
}

// transform takes the picture through its profile, or the configured one for
// CMYK without any, to sRGB.
func (j *job) transform(deep bool) error {
	_ = deep
	return j.pic.TransformICCProfileWithFallback("srgb", j.engine.config.DefaultCMYK)
}

// target is the colour space of the output.
func (j *job) target(deep bool) vips.Interpretation {
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
