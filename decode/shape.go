package decode

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"github.com/davidbyttow/govips/v2/vips"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// Shape reads the header facts of obj's page that its identifier asks for.
// Errors are *Error or those of the object's reads.
func (e *Engine) Shape(ctx context.Context, obj source.Object) (plan.Shape, error) {
	if err := context.Cause(ctx); err != nil {
		return plan.Shape{}, newError(Killed, "", err)
	}
	info := obj.Info()
	if info.Size == 0 {
		return plan.Shape{}, newError(Corrupt, "the file is empty", nil)
	}
	s, err := header.Read(obj, info.Size, info.Page)
	if err == nil || errors.Is(err, header.ErrUnknown) {
		if cut := header.CheckEnd(obj, info.Size, s.Loader); cut != nil {
			err = cut
		}
	}
	switch {
	case errors.Is(err, header.ErrUnknown):
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return e.shapeOf(obj, cmp.Or(s.Loader, plan.LoaderOther))
	case errors.Is(err, header.ErrNoPage):
		return plan.Shape{}, source.ErrNotFound
	case err != nil:
		if corrupt := new(header.CorruptError); errors.As(err, &corrupt) {
			return plan.Shape{}, newError(Corrupt, err.Error(), nil)
		}
		return plan.Shape{}, err
	}
	if !e.allowed[s.Loader] {
		return plan.Shape{}, newError(Unsupported, "decoder of kind "+string(s.Loader)+" is switched off or missing", nil)
	}
	if why := beyondLibvips(s); why != "" {
		return plan.Shape{}, newError(Unsupported, why, nil)
	}
	return s, nil
}

// beyondLibvips names what a header tells and libvips is known not to read,
// so that info.json does not promise an image that cannot be had.
func beyondLibvips(s plan.Shape) string {
	l := s.Levels[0]
	if s.Loader == plan.LoaderTIFF && s.Planar && l.TileWidth > 0 && l.TileWidth != l.Width {
		return "tiled separate planes" // tiff2vips.c, rtiff_header_read
	}
	return ""
}

// shapeOf asks libvips for the facts of a source of the kind given.
func (e *Engine) shapeOf(obj source.Object, kind plan.Loader) (plan.Shape, error) {
	page := max(obj.Info().Page, 0)
	o := loadOptions{access: plan.AccessSequential, page: -1, subIFD: -1, pdfResolution: e.config.PDFResolution}
	if paged(kind) {
		o.page = page
	}
	drawn, err := embedded(obj, kind)
	if err != nil {
		return plan.Shape{}, err
	}
	p, err := e.open(obj, kind, o)
	if err != nil {
		return plan.Shape{}, err
	}
	defer p.Close()
	s := plan.Shape{
		Embedded: drawn.Pixels, EmbeddedJP2: drawn.JP2, Shapes: drawn.Shapes,
		Loader: kind, FileSize: obj.Info().Size, Page: page, Pages: max(p.Pages(), 1),
		Width: p.Width(), Height: p.Height(), Orientation: max(p.Orientation(), 1),
		Bands: p.Bands(), Alpha: p.HasAlpha(),
	}
	if kind == plan.LoaderSVG && beyondSVG(obj, s) {
		return plan.Shape{}, newError(Unsupported, "a drawing of a size that libvips cannot hold", nil)
	}
	s.BitsPerSample, s.Sample = sampleOf(p.BandFormat())
	s.Colour = colourOf(p.Interpretation(), s.Bands)
	profile := p.GetICCProfile()
	s.ICCBytes, s.SRGB = int64(len(profile)), describesSRGB(profile)
	s.Levels = []plan.Level{{Width: s.Width, Height: s.Height, Page: page, SubIFD: -1}}
	if page >= s.Pages {
		return plan.Shape{}, source.ErrNotFound
	}
	return s, nil
}

// beyondSVG tells whether a drawing has a side beyond what libvips holds
// (VIPS_MAX_COORD, ten million pixels). Such a side is not refused: it keeps
// the default of its property, which is 1. A side of 1 is believed where the
// drawing names it so.
func beyondSVG(obj source.Object, s plan.Shape) bool {
	if s.Width > 1 && s.Height > 1 {
		return false
	}
	width, height := header.DrawnSides(obj, s.FileSize)
	named := func(side int, drawn float64) bool { return side > 1 || drawn > 0 && drawn < 2 }
	return !named(s.Width, width) || !named(s.Height, height)
}

// embedded counts what a drawing holds. One that cannot be counted could take
// any amount of memory or time.
func embedded(obj source.Object, kind plan.Loader) (header.Contents, error) {
	c, err := header.Embedded(obj, obj.Info().Size, kind)
	if errors.Is(err, header.ErrUncountable) {
		err = newError(Unsupported, err.Error(), nil)
	}
	return c, err
}

// paged tells whether the decoder of a kind takes a page number.
func paged(l plan.Loader) bool {
	switch l {
	case plan.LoaderTIFF, plan.LoaderPDF, plan.LoaderGIF, plan.LoaderHEIF, plan.LoaderAVIF, plan.LoaderWebP:
		return true
	}
	return false
}

// sampleOf translates libvips' sample format.
func sampleOf(f vips.BandFormat) (bits int, s plan.SampleFormat) {
	switch f {
	case vips.BandFormatUchar:
		return 8, plan.SampleUint
	case vips.BandFormatUshort:
		return 16, plan.SampleUint
	case vips.BandFormatUint:
		return 32, plan.SampleUint
	case vips.BandFormatChar:
		return 8, plan.SampleInt
	case vips.BandFormatShort:
		return 16, plan.SampleInt
	case vips.BandFormatInt:
		return 32, plan.SampleInt
	case vips.BandFormatDouble:
		return 64, plan.SampleFloat
	}
	return 32, plan.SampleFloat
}

// colourOf translates libvips' interpretation of an image with that many
// bands.
func colourOf(i vips.Interpretation, bands int) plan.Colour {
	switch i {
	case vips.InterpretationBW, vips.InterpretationGrey16:
		return plan.ColourGray
	case vips.InterpretationSRGB, vips.InterpretationRGB, vips.InterpretationRGB16, vips.InterpretationScRGB:
		return plan.ColourRGB
	case vips.InterpretationCMYK:
		return plan.ColourCMYK
	case vips.InterpretationLAB, vips.InterpretationLABS, vips.InterpretationLABQ:
		return plan.ColourLab
	}
	if bands < 3 {
		return plan.ColourGray
	}
	return plan.ColourOther
}
