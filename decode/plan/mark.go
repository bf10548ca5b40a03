package plan

import "example.com/iiifd/iiif"

// MarkPixels is the largest watermark in pixels: it is held in memory as a
// whole.
const MarkPixels = 4 << 20

// Mark is a watermark: an image that is repeated over all of the picture, as
// large as fits into it once. It is anchored to the whole picture, whatever
// part of it is asked for, so that a pixel that it covers is covered in every
// answer. It is made by the decoder from a file.
type Mark struct {
	// Path is the file, Version its size and time of change: another version
	// is another mark.
	Path, Version string
	// Width and Height are its size in pixels.
	Width, Height int
	// OverAnswer anchors it to what was asked for instead, as scripts have
	// it that put marks on pictures that they make.
	OverAnswer bool
}

// MarkArea returns, in the orientation as stored, the size of what the mark
// is anchored to and the part of that which the picture before StepMark shows.
func (p *Plan) MarkArea() (whole iiif.Dimensions, part iiif.Rect) {
	switch {
	case p.Options.Mark.OverAnswer:
		whole = iiif.Dimensions{Width: p.FitWidth, Height: p.FitHeight}
		return whole, iiif.Rect{Width: whole.Width, Height: whole.Height}
	case p.Options.View != iiif.Dimensions{}:
		return iiif.Dimensions{Width: p.ScaledWidth, Height: p.ScaledHeight}, p.Window
	}
	s := p.Shape
	whole = iiif.Dimensions{Width: s.Width, Height: s.Height}
	return whole, orientation(s.Orientation).stored(p.Transform.Region, s.Width, s.Height)
}

// MarkTurn turns an upright mark as the picture is stored: clockwise degrees,
// then a left-right flip.
func (p *Plan) MarkTurn() (degrees int, flip bool) {
	t := orientation(p.Shape.Orientation)
	return (360 - t.degrees) % 360, t.flip
}

// marking lists the memory of the mark: itself, decoded and turned, and the
// pieces of it and of the picture that are joined.
func (m *measure) marking() []Part {
	mark := m.p.Options.Mark
	if mark == (Mark{}) {
		return nil
	}
	whole := product(int64(mark.Width), int64(mark.Height), 16)
	pieces := product(2*sinkLines, int64(max(1, m.p.FitWidth)), 24)
	return add(nil, StageMark, sum(whole, pieces, 2*mib), "watermark, whole, and the pieces it is laid over")
}
