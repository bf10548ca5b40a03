package decode

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"math"

	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
)

// steps carries out what plans name.
var steps = map[plan.Step]func(*job) error{
	plan.StepAdvance: advance,
	plan.StepCrop:    crop,
	plan.StepPad:     pad,
	plan.StepFlatten: flatten,
	plan.StepResize:  resize,
	plan.StepWindow:  window,
	plan.StepHold:    copyMemory,
	plan.StepFit:     fit,
	plan.StepMark:    mark,
	plan.StepColour:  colour,
	plan.StepGray:    gray,
	plan.StepCopy:    copyMemory,
	plan.StepFlip:    flip,
	plan.StepTurn:    turn,
	plan.StepRotate:  rotate,
	plan.StepBitonal: bitonal,
}

// bare drops all metadata, but the profile where it is kept. It comes before
// the steps, because the binding treats what has pages as an animation, and
// before the encoder, so that nothing rides on the output.
func (j *job) bare(keepProfile bool) error {
	keep := C.int(0)
	if keepProfile {
		keep = 1
	}
	return j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_bare(im, keep) })
}

func advance(j *job) error {
	if C.iiifd_advance(j.image(), C.int(j.plan.Advance)) != 0 {
		return errors.New(takeError())
	}
	return nil
}

func crop(j *job) error {
	c := j.plan.Crop
	return j.bind(func() error { return j.pic.ExtractArea(c.X, c.Y, c.Width, c.Height) })
}

func pad(j *job) error {
	w, h := j.pic.Width()+j.plan.PadX, j.pic.Height()+j.plan.PadY
	return j.bind(func() error { return j.pic.Embed(0, 0, w, h, vips.ExtendCopy) })
}

func flatten(j *job) error {
	if !j.pic.HasAlpha() {
		return nil
	}
	b := j.background(j.pic.Bands()-1, maxSample(j.pic.BandFormat()))
	return j.apply(func(im *C.VipsImage) *C.VipsImage {
		return C.iiifd_flatten(im, (*C.double)(&b[0]), C.int(len(b)))
	})
}

func resize(j *job) error {
	w, h := C.int(j.plan.ScaledWidth), C.int(j.plan.ScaledHeight)
	return j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_resize(im, w, h) })
}

func window(j *job) error {
	r := j.plan.Window
	return j.bind(func() error { return j.pic.ExtractArea(r.X, r.Y, r.Width, r.Height) })
}

func fit(j *job) error {
	w, h := C.int(j.plan.FitWidth), C.int(j.plan.FitHeight)
	return j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_resize(im, w, h) })
}

// copyMemory renders into memory and gives up the source: what the decoder
// and its caches held goes back to the system at once, so that the two phases
// of the plan do not add up.
func copyMemory(j *job) error {
	if err := j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_copy_memory(im) }); err != nil {
		return err
	}
	ReturnFree()
	return nil
}

func flip(j *job) error {
	return j.bind(func() error { return j.pic.Flip(vips.DirectionHorizontal) })
}

func turn(j *job) error {
	angle := vips.Angle(j.plan.Turn / 90)
	return j.bind(func() error { return j.pic.Rotate(angle) })
}

// rotate turns by any angle. The corners that appear are transparent where
// the output has alpha, of the background's colour elsewhere.
func rotate(j *job) error {
	if j.plan.Encoder.Alpha && !j.pic.HasAlpha() {
		if err := j.bind(j.pic.AddAlpha); err != nil {
			return err
		}
	}
	top := maxSample(j.pic.BandFormat())
	var b []float64
	if j.pic.HasAlpha() {
		b = append(j.background(j.pic.Bands()-1, top), 0)
	} else {
		b = j.background(j.pic.Bands(), top)
	}
	return j.apply(func(im *C.VipsImage) *C.VipsImage {
		return C.iiifd_rotate(im, C.double(j.plan.Angle), (*C.double)(&b[0]), C.int(len(b)))
	})
}

// bitonal leaves black and white: 0 below the middle, 255 from it on.
func bitonal(j *job) error {
	return j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_threshold(im, 128) })
}

// gray makes one channel of luminance (and alpha, if there is one).
func gray(j *job) error {
	return j.bind(func() error { return j.pic.ToColorSpace(vips.InterpretationBW) })
}

// background returns the background's colour for an image of bands colour
// bands whose brightest sample is top.
func (j *job) background(bands int, top float64) []float64 {
	c := j.plan.Options.Background
	scale := top / 255
	if bands < 3 {
		luma := math.Round(0.2126*float64(c[0]) + 0.7152*float64(c[1]) + 0.0722*float64(c[2]))
		b := make([]float64, bands)
		for i := range b {
			b[i] = luma * scale
		}
		return b
	}
	b := make([]float64, bands)
	for i := range 3 {
		b[i] = float64(c[i]) * scale
	}
	return b
}

// maxSample is the brightest sample of a format.
func maxSample(f vips.BandFormat) float64 {
	if f == vips.BandFormatUshort {
		return 65535
	}
	return 255
}
