package decode

// #cgo pkg-config: vips
// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wno-unused-parameter
// #include "bridge.h"
import "C"

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/davidbyttow/govips/v2/vips"
)

// imageOffset finds where an ImageRef keeps its VipsImage. The binding has
// no constructor for images that were opened elsewhere; an error here means
// that its layout changed and adoption must be looked at again.
func imageOffset() (uintptr, error) {
	f, ok := reflect.TypeFor[vips.ImageRef]().FieldByName("image")
	if !ok || f.Type.Kind() != reflect.Pointer || f.Type.Elem().Name() != "_Ctype_struct__VipsImage" {
		return 0, errors.New("decode: govips.ImageRef has another layout than this build expects")
	}
	return f.Offset, nil
}

// slot returns the place of r's VipsImage.
func (e *Engine) slot(r *vips.ImageRef) **C.VipsImage {
	return (**C.VipsImage)(unsafe.Add(unsafe.Pointer(r), e.imageOffset))
}

// adopt gives im to a new ImageRef, which then owns it.
func (e *Engine) adopt(im *C.VipsImage) (*vips.ImageRef, error) {
	r, err := vips.Black(1, 1)
	if err != nil {
		C.g_object_unref(C.gpointer(unsafe.Pointer(im)))
		return nil, err
	}
	e.replace(r, im)
	return r, nil
}

// replace lets r own im in place of what it owned.
func (e *Engine) replace(r *vips.ImageRef, im *C.VipsImage) {
	place := e.slot(r)
	old := *place
	*place = im
	C.g_object_unref(C.gpointer(unsafe.Pointer(old)))
}
