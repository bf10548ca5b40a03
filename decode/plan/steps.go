package plan

import "example.com/iiifd/iiif"

// Step is one operation between decoder and encoder.
type Step string

// The steps, in the order in which a plan uses them.
const (
	// StepAdvance leads a sequential decoder to the crop's first line in
	// small pieces, so that no cache grows to hold what is skipped.
	StepAdvance Step = "advance"
	StepCrop    Step = "crop"
	// StepPad repeats the last column and row (Plan.PadX, PadY).
	StepPad Step = "pad"
	// StepFlatten puts the picture on the background and drops its alpha.
	StepFlatten Step = "flatten"
	StepResize  Step = "resize"
	// StepWindow cuts Plan.Window out of the scaled picture, StepHold renders
	// that into memory, and StepFit resizes it to the size asked for. Of a
	// source that is read from top to bottom the scaled picture is held first:
	// libvips' shrinking does not start in the middle of one.
	StepWindow Step = "window"
	StepHold   Step = "hold"
	StepFit    Step = "fit"
	// StepMark lays Options.Mark over the picture.
	StepMark Step = "mark"
	// StepColour brings samples to 8 (or 16) bits of sRGB or gray.
	StepColour Step = "colour"
	StepGray   Step = "gray"
	// StepCopy renders into memory and lets go of the source: what follows may
	// read in any order, and takes its memory after the source's.
	StepCopy Step = "copy"
	StepFlip Step = "flip"
	StepTurn Step = "turn"
	// StepRotate rotates by Plan.Angle; new corners are transparent where
	// the encoder holds alpha, of the background's colour elsewhere.
	StepRotate  Step = "rotate"
	StepBitonal Step = "bitonal"
)

// convertedAlways tells that the samples cannot be written as they are:
// CMYK and Lab are turned into sRGB whatever the profile option says.
func (s Shape) convertedAlways() bool {
	switch s.Colour {
	case ColourCMYK, ColourYCCK, ColourLab, ColourOther:
		return true
	}
	return false
}

// early tells that samples are brought to the output's colours and depth
// before anything is done with them: Lab, whose channels are not plain
// numbers to libvips, and samples of 32 bits, for which every later step
// would cost four times as much.
func (s Shape) early() bool {
	return s.Colour == ColourLab || s.Sample != SampleUint || s.BitsPerSample > 16
}

// recoloured tells that the colour step has work.
func (p *Plan) recoloured() bool {
	s := p.Shape
	if s.convertedAlways() || s.early() {
		return true
	}
	if p.Options.ICC == ICCConvert && s.ICCBytes > 0 && !s.SRGB {
		return true
	}
	return s.BitsPerSample > 8 && p.Encoder.Bits < 16
}

// flattens tells that the source's alpha does not reach the output.
func (p *Plan) flattens() bool { return p.Shape.Alpha && !p.Encoder.Alpha }

// steps lists the plan's operations. Flattening comes before resizing where
// the background's colour can be said there (resizing with alpha needs
// floats), colour after it as a rule (fewer pixels), turning last (only that
// needs memory).
func (p *Plan) steps() []Step {
	var list []Step
	add := func(s Step, when bool) {
		if when {
			list = append(list, s)
		}
	}
	early, ink := p.Shape.early(), p.Shape.convertedAlways()
	add(StepAdvance, p.Advance > 0)
	add(StepCrop, p.Crops() && !p.DecoderCrops())
	add(StepPad, p.PadX > 0 || p.PadY > 0)
	add(StepColour, early)
	add(StepFlatten, p.flattens() && (early || !ink))
	add(StepResize, p.Resizes())
	add(StepColour, p.recoloured() && !early)
	add(StepFlatten, p.flattens() && ink && !early)
	add(StepHold, p.holdsWhole())
	add(StepWindow, p.windows())
	add(StepHold, p.fits() && !p.holdsWhole())
	add(StepFit, p.fits())
	add(StepMark, p.Options.Mark != Mark{})
	q := p.Transform.Quality
	add(StepGray, (q == iiif.QualityGray || q == iiif.QualityBitonal) && (!p.Shape.Gray() || p.Shape.Palette))
	add(StepCopy, p.Staged || p.Turn != 0 || p.Angle != 0)
	add(StepFlip, p.Flip)
	add(StepTurn, p.Turn != 0)
	add(StepRotate, p.Angle != 0)
	add(StepBitonal, q == iiif.QualityBitonal)
	return list
}
