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

// Contents is what a drawing holds that costs memory to draw.
type Contents struct {
	// Pixels are those that its pictures decode to, whatever the drawing's own
	// size: of the largest one in a PDF, which is drawn one picture at a time,
	// and of all in an SVG.
	Pixels int64
	// JP2 tells that a PDF has pictures in JPEG 2000, which decode to more
	// bytes.
	JP2 bool
	// Shapes tells that an SVG is made of nothing but shapes and gradients
	// that are drawn one over the other: nothing that takes a surface of its
	// own, no text.
	Shapes bool
}

// Embedded returns what is inside a drawing. It reads the whole file; other
// kinds have nothing.
//
// Pictures within page descriptions of a PDF (BI … EI) are seen where those
// are plain or deflated and not encrypted; ISO 32000-1, 8.9.7 asks that they
// be small.
func Embedded(r io.ReaderAt, size int64, loader plan.Loader) (Contents, error) {
	switch loader {
	case plan.LoaderPDF:
		pixels, jp2, err := pdfPictures(io.NewSectionReader(r, 0, size))
		if err != nil {
			return Contents{}, err
		}
		inline, err := pdfInline(r, size)
		return Contents{Pixels: max(pixels, inline), JP2: jp2}, err
	case plan.LoaderSVG:
		if size > svgBytes {
			return Contents{}, fmt.Errorf("%w: an SVG of more than %d bytes", ErrUncountable, svgBytes)
		}
		return svgContents(io.NewSectionReader(r, 0, size))
	}
	return Contents{}, nil
}
