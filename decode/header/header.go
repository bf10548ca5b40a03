// Package header reads what planning needs to know of an image from the
// first few KiB of its file, in microseconds and without a decoder: size,
// levels, colour, coding layout. It is pure Go over an io.ReaderAt; nothing
// in a file makes it allocate more than a few hundred KiB or loop for long.
//
// Where a header leaves room for interpretation the readers say what libvips'
// loaders would make of the file, since those decode it afterwards.
package header

import (
	"errors"
	"fmt"
	"io"

	"example.com/iiifd/decode/plan"
)

// ErrUnknown is returned for a kind of file that has no reader here. The
// shape then names the loader if the kind could at least be told (PDF, SVG)
// and is otherwise empty; libvips may still open the file.
var ErrUnknown = errors.New("header: kind of image not known")

// ErrNoPage is returned where the file has no page with the number asked for.
var ErrNoPage = errors.New("header: no such page")

// CorruptError tells that a file names itself as one kind but breaks that
// kind's rules, ends too early, or uses sizes no decoder here accepts.
type CorruptError struct {
	Loader plan.Loader
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("header: damaged %s: %s", e.Loader, e.Reason)
}

// Read returns the shape of the image whose size bytes r gives access to.
// Page selects a page counted from 0; -1 stands for the one a file without a
// page suffix shows: the first, or the primary item of AVIF and HEIF.
//
// The error is ErrUnknown, ErrNoPage, a *CorruptError, or what r returned.
func Read(r io.ReaderAt, size int64, page int) (plan.Shape, error) {
	in := newInput(r, size)
	loader, read, err := sniff(in)
	if err != nil {
		return plan.Shape{}, err
	}
	in.loader = loader
	shape := plan.Shape{
		Loader: loader, FileSize: size, Orientation: 1,
		Sample: plan.SampleUint, Pages: 1,
	}
	if read == nil {
		return plan.Shape{Loader: loader, FileSize: size}, ErrUnknown
	}
	if err := read(in, &shape, page); err != nil {
		return plan.Shape{}, err
	}
	if page >= shape.Pages {
		return plan.Shape{}, ErrNoPage
	}
	if page > 0 {
		shape.Page = page
	}
	if err := check(in, &shape); err != nil {
		return plan.Shape{}, err
	}
	return shape, nil
}

// maxSide is the longest side accepted, VIPS_MAX_COORD of libvips 8.14
// (image.h).
const maxSide = 10_000_000

// maxBands is more channels than any photograph or multispectral scan has.
const maxBands = 1024

// check enforces what every shape promises and gives kinds without levels of
// their own their single one.
func check(in *input, s *plan.Shape) error {
	switch {
	case s.Width < 1 || s.Height < 1:
		return in.corrupt("an image without pixels")
	case s.Width > maxSide || s.Height > maxSide:
		return in.corrupt("a side longer than 10,000,000 pixels")
	case s.Bands < 1 || s.Bands > maxBands:
		return in.corrupt("an impossible number of channels")
	case s.BitsPerSample < 1 || s.BitsPerSample > 128:
		return in.corrupt("an impossible sample depth")
	}
	if len(s.Levels) == 0 {
		s.Levels = []plan.Level{{Width: s.Width, Height: s.Height, Page: s.Page, SubIFD: -1}}
	}
	if s.Orientation < 1 || s.Orientation > 8 {
		s.Orientation = 1
	}
	return nil
}

// reader fills a shape for one page of one kind of file.
type reader func(in *input, s *plan.Shape, page int) error
