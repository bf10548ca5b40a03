package decode

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"os"
	"unsafe"

	"example.com/iiifd/decode/plan"
)

// savePyramid writes a pyramid into the file behind the output: levels and
// tiles are written as they are done, in no order that a stream could have.
func savePyramid(j *job) error {
	f, ok := j.out.w.(*os.File)
	if !ok {
		return newError(Unsupported, "a pyramid needs a file", nil)
	}
	name := C.CString(f.Name())
	defer C.free(unsafe.Pointer(name))
	if C.iiifd_save_pyramid(j.image(), name, C.int(j.plan.Encoder.Quality), plan.PyramidTile) != 0 {
		return errors.New(takeError())
	}
	return j.out.failure()
}
