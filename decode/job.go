package decode

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"example.com/iiifd/decode/plan"
)

// job is one rendering: the picture as it goes through the steps. kill may
// be called from another goroutine at any time.
type job struct {
	engine *Engine
	plan   plan.Plan
	pic    *picture
	out    *output

	mu     sync.Mutex
	killed error
}

// kill makes libvips give up at the next piece of the picture, and every
// read and write fail.
func (j *job) kill(cause error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.killed = cause
	j.out.fail(cause)
	if j.pic != nil {
		j.pic.in.fail(cause)
		C.vips_image_set_kill(j.image(), C.TRUE)
	}
}

// image returns the present image. It stays valid while j's lock is held or
// on the goroutine that runs j.
func (j *job) image() *C.VipsImage { return *j.engine.slot(j.pic.ImageRef) }

// opened takes over the picture that was opened for j.
func (j *job) opened(p *picture) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pic = p
	return j.killed
}

// apply replaces the picture by what f makes of it.
func (j *job) apply(f func(im *C.VipsImage) *C.VipsImage) error {
	next := f(j.image())
	if next == nil {
		return errors.New(takeError())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.killed != nil {
		C.g_object_unref(C.gpointer(unsafe.Pointer(next)))
		return j.killed
	}
	j.engine.replace(j.pic.ImageRef, next)
	return nil
}

// bind runs f, a step of the Go binding, which replaces the image itself.
// The binding has a lock of its own around that, so kill must not look at
// the image meanwhile; f only builds the pipeline and returns at once.
func (j *job) bind(f func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.killed != nil {
		return j.killed
	}
	return f()
}

// failure turns err, which ended the job, into what the caller sees. The
// cause is looked for outside libvips first: the context, the source, the
// writer.
func (j *job) failure(ctx context.Context, err error, kind ErrorKind) error {
	if cause := context.Cause(ctx); cause != nil {
		return newError(Killed, "", cause)
	}
	if w := j.out.failure(); w != nil {
		return newError(Internal, err.Error(), w)
	}
	if j.pic != nil {
		if r := j.pic.in.failure(); r != nil {
			return newError(Corrupt, err.Error(), r)
		}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return newError(kind, err.Error(), nil)
}
