package decode

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// ErrMark is returned for a watermark that cannot be used: not there, not an
// image, or larger than plan.MarkPixels.
var ErrMark = errors.New("decode: unusable watermark")

// Mark describes the watermark in a file, by its header. Errors wrap ErrMark.
func (e *Engine) Mark(_ context.Context, path string) (plan.Mark, error) {
	f, s, err := openMark(path)
	if err != nil {
		return plan.Mark{}, fmt.Errorf("%w: %w", ErrMark, err)
	}
	defer f.Close()
	if !e.allowed[s.Loader] {
		return plan.Mark{}, fmt.Errorf("%w: decoder of kind %s is switched off or missing", ErrMark, s.Loader)
	}
	if int64(s.Width)*int64(s.Height) > plan.MarkPixels {
		return plan.Mark{}, fmt.Errorf("%w: %d×%d are more than %d pixels", ErrMark, s.Width, s.Height, plan.MarkPixels)
	}
	return plan.Mark{Path: path, Version: f.info.Version, Width: s.Width, Height: s.Height}, nil
}

// markFile is the opened file of a watermark.
type markFile struct {
	*os.File
	info source.Info
}

func (f *markFile) Info() source.Info { return f.info }

// Path implements source.Object; nothing opens a watermark by its name.
func (f *markFile) Path() string { return "" }

// Verify implements source.Object. The version is compared when it is opened.
func (f *markFile) Verify() error { return nil }

func openMark(path string) (*markFile, plan.Shape, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plan.Shape{}, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var s plan.Shape
	if err == nil {
		s, err = header.Read(f, fi.Size(), -1)
	}
	if err != nil {
		return nil, s, errors.Join(err, f.Close())
	}
	version := strconv.FormatInt(fi.Size(), 36) + "-" + strconv.FormatInt(fi.ModTime().UnixNano(), 36)
	return &markFile{File: f, info: source.Info{Size: fi.Size(), ModTime: fi.ModTime(), Version: version, Page: -1}}, s, nil
}

// mark lays the plan's watermark over the picture.
func mark(j *job) error {
	m := j.plan.Options.Mark
	f, s, err := openMark(m.Path)
	if err != nil {
		return newError(Internal, err.Error(), ErrMark)
	}
	defer f.Close()
	if f.info.Version != m.Version {
		return newError(Internal, "the watermark was replaced", source.ErrChanged)
	}
	p, err := j.engine.open(f, s.Loader, loadOptions{access: plan.AccessSequential, page: -1, subIFD: -1})
	if err != nil {
		return newError(Internal, err.Error(), ErrMark)
	}
	defer p.Close()
	// Read whole and at once: its file is closed before the picture is made.
	whole := C.iiifd_copy_memory(*j.engine.slot(p.ImageRef))
	if whole == nil {
		return newError(Internal, takeError(), ErrMark)
	}
	defer C.g_object_unref(C.gpointer(unsafe.Pointer(whole)))
	place := j.place()
	return j.apply(func(im *C.VipsImage) *C.VipsImage { return C.iiifd_mark(im, whole, &place) })
}

// place says where the watermark lies.
func (j *job) place() C.IiifdMark {
	area, part := j.plan.MarkArea()
	degrees, flip := j.plan.MarkTurn()
	c := C.IiifdMark{
		degrees: C.int(degrees), whole_width: C.double(area.Width), whole_height: C.double(area.Height),
		left: C.double(part.X), top: C.double(part.Y), width: C.double(part.Width), height: C.double(part.Height),
	}
	if flip {
		c.flip = 1
	}
	if j.plan.Transform.Quality == iiif.QualityBitonal {
		c.bitonal = 1
	}
	return c
}
