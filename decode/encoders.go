package decode

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
)

// encoder is how a format is written.
type encoder struct {
	format    iiif.Format
	mediaType string
	// saver is the libvips operation behind it, which may be missing; empty
	// where none is needed.
	saver string
	// options are libvips' file name options for an encoder setting.
	options func(plan.Encoder) string
	// save writes the picture where libvips' saver cannot do it as it is.
	save func(j *job, e encoder) error
}

// encoders returns a row per format, the most usual first.
func encoders() []encoder {
	return []encoder{
		{iiif.FormatJPG, "image/jpeg", "jpegsave_target", func(e plan.Encoder) string {
			mode := "on"
			if e.Subsampling == "4:4:4" {
				mode = "off"
			}
			return fmt.Sprintf(".jpg[Q=%d,subsample_mode=%s%s]", e.Quality, mode, strip(e))
		}, nil},
		{iiif.FormatPNG, "image/png", "pngsave_target", func(e plan.Encoder) string {
			bits := ""
			if e.Bits == 1 {
				bits = ",bitdepth=1"
			}
			return fmt.Sprintf(".png[compression=%d%s%s]", e.Compression, bits, strip(e))
		}, nil},
		{iiif.FormatWebP, "image/webp", "webpsave_target", func(e plan.Encoder) string {
			return fmt.Sprintf(".webp[Q=%d%s]", e.Quality, strip(e))
		}, nil},
		{iiif.FormatTIF, "image/tiff", "", nil, saveTIFF},
		{iiif.FormatGIF, "image/gif", "gifsave_target", func(e plan.Encoder) string {
			return ".gif[effort=3" + strip(e) + "]"
		}, nil},
		{iiif.FormatJP2, "image/jp2", "jp2ksave_target", func(e plan.Encoder) string {
			return fmt.Sprintf(".jp2[Q=%d%s]", e.Quality, strip(e))
		}, saveWhole},
		{iiif.FormatAVIF, "image/avif", "heifsave_target", func(e plan.Encoder) string {
			// More effort turns on libaom's search for repeated screen content,
			// which takes 130 bytes more per pixel where it finds black and white.
			return fmt.Sprintf(".avif[Q=%d,compression=av1,effort=1,bitdepth=8%s]", e.Quality, strip(e))
		}, nil},
		{iiif.FormatJXL, "image/jxl", "jxlsave_target", func(e plan.Encoder) string {
			return fmt.Sprintf(".jxl[Q=%d,effort=3%s]", e.Quality, strip(e))
		}, nil},
		{iiif.FormatPDF, "application/pdf", "jpegsave_target", nil, savePDF},
	}
}

// strip is the option that leaves metadata out.
func strip(e plan.Encoder) string {
	if e.Profile {
		return ""
	}
	return ",strip"
}

// encoderOf returns the row of a format.
func encoderOf(f iiif.Format) (encoder, bool) {
	for _, e := range encoders() {
		if e.format == f {
			return e, true
		}
	}
	return encoder{}, false
}

// MediaType returns the media type of a format, empty for an unknown one.
func MediaType(f iiif.Format) string {
	e, _ := encoderOf(f)
	return e.mediaType
}

// available tells whether this libvips has the saver, if one is needed.
func (e encoder) available() bool {
	if e.saver == "" {
		return true
	}
	name := C.CString(e.saver)
	defer C.free(unsafe.Pointer(name))
	return C.iiifd_has_saver(name) != 0
}

// write encodes j's picture into its output.
func (e encoder) write(j *job) error {
	if err := j.bare(j.plan.Encoder.Profile); err != nil {
		return err
	}
	if j.plan.Encoder.Pyramid {
		return savePyramid(j)
	}
	if e.save != nil {
		return e.save(j, e)
	}
	return j.save(e.options(j.plan.Encoder), j.out)
}

// save runs a libvips saver into out.
func (j *job) save(suffix string, out *output) error {
	return j.toTarget(out, func(t *C.VipsTarget) C.int {
		name := C.CString(suffix)
		defer C.free(unsafe.Pointer(name))
		return C.iiifd_save(j.image(), name, t)
	})
}

// saveWhole runs a saver that needs to seek.
func saveWhole(j *job, e encoder) error {
	return j.toTarget(j.out, func(t *C.VipsTarget) C.int {
		name := C.CString(e.options(j.plan.Encoder))
		defer C.free(unsafe.Pointer(name))
		return C.iiifd_save_whole(j.image(), name, t)
	})
}

// toTarget hands f a libvips target that writes to out.
func (j *job) toTarget(out *output, f func(*C.VipsTarget) C.int) error {
	handle := cgo.NewHandle(out)
	defer handle.Delete()
	target := C.iiifd_target_new(C.uintptr_t(handle))
	if target == nil {
		return errors.New(takeError())
	}
	defer C.g_object_unref(C.gpointer(unsafe.Pointer(target)))
	if f(target) != 0 {
		return errors.New(takeError())
	}
	return out.failure()
}
