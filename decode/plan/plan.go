package plan

import (
	"example.com/iiifd/iiif"
)

// Plan is everything that rendering one request needs. It is made by New
// and not changed afterwards.
type Plan struct {
	Shape     Shape
	Transform iiif.Transform
	Options   Options

	// Level is the index into Shape.Levels that is loaded; Page and SubIFD
	// address it in the file (SubIFD is -1 where it is none).
	Level, Page, SubIFD int
	Access              Access
	// Shrink is the factor by which the decoder itself reduces: 1, 2, 4 or 8
	// for JPEG, a power of two for WebP, 1 elsewhere. A level's own
	// reduction is not part of it.
	Shrink int
	// LoadedWidth and LoadedHeight are the decoder's size.
	LoadedWidth, LoadedHeight int

	// Crop is the region in loaded pixels, as stored (not upright).
	Crop iiif.Rect
	// PadX and PadY, 0 or 1, are the columns and rows that the level lacks at
	// the right and at the bottom: the last ones are repeated.
	PadX, PadY int
	// BandRows is how many rows of the crop OpenJPEG decodes at once (JP2),
	// 0 elsewhere.
	BandRows int
	// Advance is the number of lines a sequential decoder is led through
	// before the crop is asked for, 0 for none.
	Advance int

	// ScaledWidth and ScaledHeight are the crop's size after resizing, as
	// stored. Equal to the crop's where nothing is resized.
	ScaledWidth, ScaledHeight int
	// Window is the part of the scaled picture that was asked for, as stored,
	// and FitWidth and FitHeight are its size after a second resizing. They
	// are the whole scaled picture and its size but for a View.
	Window              iiif.Rect
	FitWidth, FitHeight int
	// Flip and Turn bring the scaled picture upright, mirror it and rotate
	// it by a multiple of 90 degrees, all in one: first left-right, then
	// clockwise degrees (0, 90, 180, 270).
	Flip bool
	Turn int
	// Angle is the clockwise rotation that is no multiple of 90, 0 if none.
	Angle float64

	// Staged tells that the picture is rendered into memory before it is
	// encoded, only because decoder and encoder would else hold theirs at the
	// same time.
	Staged bool

	// Steps are the operations between decoder and encoder, in order.
	Steps []Step
	// Short is the way around libvips, if the plan takes one. It leads to
	// what Steps describe.
	Short Short
	// OutWidth and OutHeight are the encoded picture's size. With an Angle
	// they may be one pixel off.
	OutWidth, OutHeight int
	Encoder             Encoder
}

// New resolves p against s and decides how to carry it out. Errors are those
// of iiif.Params.Resolve, *FormatError for a format that nothing writes and
// *SizeError for a size that the format cannot hold.
func New(s Shape, p iiif.Params, o Options) (Plan, error) {
	width, height := s.Upright()
	if v := o.View; v != (iiif.Dimensions{}) {
		width, height = v.Width, v.Height
	}
	t, err := p.Resolve(iiif.Image{Width: width, Height: height, Gray: s.Gray()}, o.Limits)
	if err != nil {
		return Plan{}, err
	}
	return Execute(s, t, o)
}

// Execute plans a request that is already resolved against s.
func Execute(s Shape, t iiif.Transform, o Options) (Plan, error) {
	if len(s.Levels) == 0 {
		s.Levels = []Level{{Width: s.Width, Height: s.Height, Page: s.Page, SubIFD: -1}}
	}
	encoder, err := newEncoder(s, t, o)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Shape: s, Transform: t, Options: o, Encoder: encoder}

	upright := orientation(s.Orientation)
	p.ScaledWidth, p.ScaledHeight = upright.sides(t.Width, t.Height)
	p.FitWidth, p.FitHeight = p.ScaledWidth, p.ScaledHeight
	p.Window = iiif.Rect{Width: p.ScaledWidth, Height: p.ScaledHeight}
	region := upright.stored(t.Region, s.Width, s.Height)
	if v := o.View; v != (iiif.Dimensions{}) {
		p.ScaledWidth, p.ScaledHeight = upright.sides(v.Width, v.Height)
		p.Window = upright.stored(t.Region, p.ScaledWidth, p.ScaledHeight)
		region = iiif.Rect{Width: s.Width, Height: s.Height}
	}
	p.load(region)
	p.turn(upright)
	if m := MaxSide(t.Format); m > 0 && (p.OutWidth > m || p.OutHeight > m) {
		return Plan{}, &SizeError{Format: t.Format, Width: p.OutWidth, Height: p.OutHeight, Max: m}
	}
	p.Steps = p.steps()
	p = p.staged()
	p.Short = p.short()
	return p, nil
}

// staged returns p with the source given up before the picture is encoded,
// where that saves at least an eighth of the price. Only encoders that begin
// when they have the whole picture come into question; others send what they
// have while the source is read.
func (p Plan) staged() Plan {
	if !p.Encoder.whole() || p.copies() {
		return p
	}
	s := p
	s.Staged = true
	s.Steps = s.steps()
	if price := p.Peak(); s.Peak() > price-price/8 {
		return p
	}
	return s
}

// load decides what the decoder delivers of region, a rectangle of stored
// pixels.
func (p *Plan) load(region iiif.Rect) {
	r := choose(p.Shape, region, p.ScaledWidth, p.ScaledHeight)
	level := p.Shape.Levels[r.level]
	p.Level, p.Page, p.SubIFD = r.level, level.Page, level.SubIFD
	p.Shrink, p.LoadedWidth, p.LoadedHeight = r.shrink, r.width, r.height
	p.Crop, p.PadX, p.PadY = r.crop(p.Shape, region, p.ScaledWidth, p.ScaledHeight)
	p.Access = access(p.Shape, r, p.Crop, p.ScaledWidth, p.ScaledHeight)
	if p.DecoderCrops() {
		p.BandRows = bandRows(p.Crop, level)
	} else if p.Access == AccessSequential {
		p.Advance = p.Crop.Y
	}
}

// turn joins orientation, mirror and rotation into one turn and, where the
// rotation is no multiple of 90 degrees, an angle.
func (p *Plan) turn(t turn) {
	if p.Transform.Mirror {
		t = t.mirrored()
	}
	quarter := int(p.Transform.Angle) / 90 * 90
	if float64(quarter) == p.Transform.Angle {
		t = t.rotated(quarter)
	} else {
		p.Angle = p.Transform.Angle
	}
	p.Flip, p.Turn = t.flip, t.degrees
	p.OutWidth, p.OutHeight = p.FitWidth, p.FitHeight
	if t.swaps() {
		p.OutWidth, p.OutHeight = p.OutHeight, p.OutWidth
	}
	if p.Angle != 0 {
		p.OutWidth, p.OutHeight = bounds(p.OutWidth, p.OutHeight, p.Angle)
	}
}

// Resizes tells that the crop is not already of the output's size.
func (p *Plan) Resizes() bool {
	return p.Crop.Width+p.PadX != p.ScaledWidth || p.Crop.Height+p.PadY != p.ScaledHeight
}

// DecoderCrops tells that the decoder delivers the crop alone (JP2: OpenJPEG
// decodes any rectangle).
func (p *Plan) DecoderCrops() bool { return p.Shape.Loader == LoaderJP2 }

// Crops tells that less than the loaded picture is used.
func (p *Plan) Crops() bool {
	return p.Crop.Width != p.LoadedWidth || p.Crop.Height != p.LoadedHeight
}
