package decode

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"unsafe"

	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// picture is an image while it is opened from a source.
type picture struct {
	*vips.ImageRef
	in     *input
	handle cgo.Handle
	source *C.VipsSource
}

// Close frees the image, then what it read from.
func (p *picture) Close() {
	if p.ImageRef != nil {
		p.ImageRef.Close()
	}
	if p.source != nil {
		C.g_object_unref(C.gpointer(unsafe.Pointer(p.source)))
		p.handle.Delete()
	}
}

// loadOptions are the choices that a plan makes about opening.
type loadOptions struct {
	access        plan.Access
	page, subIFD  int // negative for none
	shrink        int
	scale         float64 // 0 for none
	pdfResolution int
}

// open opens obj with the decoder of kind l, header only: pixels are decoded
// when they are asked for. The caller closes the picture.
func (e *Engine) open(obj source.Object, l plan.Loader, o loadOptions) (*picture, error) {
	def, ok := loaders[l]
	if !ok || !e.allowed[l] {
		return nil, newError(Unsupported, "no decoder for kind "+string(l), nil)
	}
	return e.openWith(obj, l, func(source *C.VipsSource) (*C.VipsImage, error) {
		operation := C.CString(def.operation)
		defer C.free(unsafe.Pointer(operation))
		options := cOptions(l, o)
		im := C.iiifd_load(source, operation, &options)
		if im == nil {
			return nil, errors.New(takeError())
		}
		return im, nil
	})
}

// openPlanned opens obj as p wants it.
func (e *Engine) openPlanned(obj source.Object, p plan.Plan) (*picture, error) {
	if l := p.Shape.Loader; l != plan.LoaderJP2 || !e.allowed[l] {
		o := planned(p)
		o.pdfResolution = e.config.PDFResolution
		return e.open(obj, l, o)
	}
	return e.openWith(obj, plan.LoaderJP2, func(source *C.VipsSource) (*C.VipsImage, error) { return openJP2(source, p) })
}

// openWith opens obj, of kind l, with f, which gets it as a libvips source.
func (e *Engine) openWith(obj source.Object, l plan.Loader, f func(*C.VipsSource) (*C.VipsImage, error)) (*picture, error) {
	in := &input{at: obj, size: obj.Info().Size, steady: l == plan.LoaderHEIF || l == plan.LoaderAVIF}
	p := &picture{in: in, handle: cgo.NewHandle(in)}
	p.source = C.iiifd_source_new(C.uintptr_t(p.handle))
	if p.source == nil {
		p.handle.Delete()
		return nil, newError(Internal, takeError(), nil)
	}
	im, err := f(p.source)
	if err != nil {
		defer p.Close()
		return nil, newError(Corrupt, err.Error(), in.failure())
	}
	ref, err := e.adopt(im)
	if err != nil {
		defer p.Close()
		return nil, newError(Internal, err.Error(), nil)
	}
	p.ImageRef = ref
	return p, nil
}

// cOptions translates o; every decoder refuses
// input that is cut off or damaged.
func cOptions(l plan.Loader, o loadOptions) C.IiifdLoad {
	c := C.IiifdLoad{
		access: C.VIPS_ACCESS_SEQUENTIAL, fail_on: C.VIPS_FAIL_ON_ERROR,
		page: C.int(o.page), subifd: C.int(o.subIFD), shrink: C.int(o.shrink), scale: C.double(o.scale),
	}
	if o.access == plan.AccessRandom {
		c.access = C.VIPS_ACCESS_RANDOM
	}
	if l == plan.LoaderPDF {
		c.dpi = C.double(o.pdfResolution)
	}
	return c
}

// planned returns the options that p asks for.
func planned(p plan.Plan) loadOptions {
	o := loadOptions{access: p.Access, page: -1, subIFD: -1}
	switch p.Shape.Loader {
	case plan.LoaderTIFF:
		o.page, o.subIFD = p.Page, p.SubIFD
	case plan.LoaderPDF, plan.LoaderGIF, plan.LoaderHEIF, plan.LoaderAVIF:
		o.page = p.Shape.Page
	case plan.LoaderJPEG:
		o.shrink = p.Shrink
	case plan.LoaderWebP:
		o.page = p.Shape.Page
		if p.Shrink > 1 {
			o.scale = 1 / float64(p.Shrink)
		}
	}
	return o
}

// takeError returns libvips' error text and forgets it.
func takeError() string {
	text := C.iiifd_take_error()
	defer C.g_free(C.gpointer(unsafe.Pointer(text)))
	return C.GoString(text)
}
