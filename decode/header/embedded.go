package header

import (
	"errors"
	"fmt"
	"io"

	"example.com/iiifd/decode/plan"
)

// ErrUncountable is returned by Embedded for a drawing whose price cannot be
// told: one that hides what it holds, or that repeats its parts without end.
var ErrUncountable = errors.New("header: the drawing's price cannot be told")

// Embedded returns how many pixels the pictures inside a drawing decode to,
// whatever the drawing's own size: the largest one in a PDF, which is drawn
// one picture at a time, and all of an SVG. Coded tells that a PDF has
// pictures in JPEG 2000, which decode to more bytes. It reads the whole file;
// other kinds have none.
//
// Pictures within page descriptions of a PDF (BI … EI) are seen where those
// are plain or deflated and not encrypted; ISO 32000-1, 8.9.7 asks that they
// be small.
func Embedded(r io.ReaderAt, size int64, loader plan.Loader) (pixels int64, coded bool, err error) {
	if loader == plan.LoaderPDF {
		pixels, coded, err = pdfPictures(io.NewSectionReader(r, 0, size))
		if err != nil {
			return 0, false, err
		}
		inline, err := pdfInline(r, size)
		return max(pixels, inline), coded, err
	}
	if loader != plan.LoaderSVG {
		return 0, false, nil
	}
	if size > svgBytes {
		return 0, false, fmt.Errorf("%w: an SVG of more than %d bytes", ErrUncountable, svgBytes)
	}
	pixels, err = svgPictures(io.NewSectionReader(r, 0, size))
	return pixels, false, err
}
