package decode

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// Render carries out p on obj and streams the encoded picture to w. It
// returns only when libvips has let go of the picture, also where ctx ends
// before: then the error is of kind Killed and wraps the context's cause.
// After an error w may have got some bytes, which are no picture.
func (e *Engine) Render(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) (err error) {
	start := time.Now()
	e.active.Add(1)
	defer func() {
		e.active.Add(-1)
		e.metrics.observe(p, err, time.Since(start))
	}()
	if cause := context.Cause(ctx); cause != nil {
		return newError(Killed, "", cause)
	}
	if len(e.apart) > 0 && drawing(p.Shape.Loader) {
		// What a drawing takes is not in its header: all of them step back.
		return patiently(func() error { return e.renderApart(ctx, obj, p, w) })
	}
	if p.Short != plan.ShortNone {
		short := func() error { return e.renderShort(ctx, obj, &p, w) }
		if p.Seconds() >= patientSeconds {
			err = patiently(short)
		} else {
			err = short()
		}
		if !errors.Is(err, errDeclined) {
			return err
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	C.vips_error_clear() // what others left there is not this job's
	heard := e.warnings.listen()
	err = e.supervised(ctx, obj, &job{engine: e, plan: p, out: &output{w: w}})
	vips.ShutdownThread()
	if l := loss(heard()); l != "" && err == nil {
		err = newError(Corrupt, l, nil)
	}
	return err
}

// supervised runs j, kills it when ctx ends, and waits until libvips has
// let go of everything.
func (e *Engine) supervised(ctx context.Context, obj source.Object, j *job) error {
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		j.kill(context.Cause(ctx))
	})
	defer func() {
		if !stop() {
			<-killed // until then it may hold the image
		}
		if j.pic != nil {
			j.pic.Close()
		}
	}()
	return e.run(ctx, obj, j)
}

// run opens, applies the steps and encodes.
func (e *Engine) run(ctx context.Context, obj source.Object, j *job) error {
	pic, err := e.openPlanned(obj, j.plan)
	if err != nil {
		return j.failure(ctx, err, Corrupt)
	}
	if err := j.opened(pic); err != nil {
		return j.failure(ctx, err, Killed)
	}
	width, height := j.plan.LoadedWidth, j.plan.LoadedHeight
	if j.plan.DecoderCrops() {
		width, height = j.plan.Crop.Width, j.plan.Crop.Height
	}
	if pic.Width() != width || pic.Height() != height {
		return newError(Corrupt, "the decoder delivers another size than the header says", nil)
	}
	if err := j.bare(true); err != nil {
		return j.failure(ctx, err, Internal)
	}
	for _, s := range j.plan.Steps {
		if err := steps[s](j); err != nil {
			return j.failure(ctx, err, Corrupt)
		}
	}
	enc, ok := encoderOf(j.plan.Encoder.Format)
	if !ok {
		return newError(Unsupported, "no encoder", nil)
	}
	err = enc.write(j)
	if err == nil {
		err = pic.in.failure() // A decoder may have been given zeros instead.
	}
	if err != nil {
		return j.failure(ctx, err, Corrupt)
	}
	return nil
}
