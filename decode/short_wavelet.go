package decode

// #include "short.h"
import "C"

import (
	"context"
	"io"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// renderWavelet decodes the tiles of a JPEG 2000 source that p's crop
// touches from a codestream of only these: OpenJPEG walks through all
// tile-parts of what it is given.
func (e *Engine) renderWavelet(ctx context.Context, obj source.Object, p *plan.Plan, w io.Writer) error {
	t, err := indexOf(e.short, obj, "|w", func() (*header.TileParts, error) {
		return header.ReadTileParts(obj, obj.Info().Size)
	})
	if err != nil {
		return err
	}
	stream, err := cutStream(obj, t, p)
	if err != nil {
		return err
	}
	defer stream.free()
	state, err := e.short.get()
	if err != nil {
		return err
	}
	defer e.short.put(state, p)
	s := session{shorts: e.short, state: state, w: w}
	pic := shortPicture(p)
	want := C.IiifdWavelet{
		reduce: C.int32_t(p.Shape.Levels[p.Level].Reduction),
		left:   C.int32_t(p.Crop.X), top: C.int32_t(p.Crop.Y),
	}
	if t.Boxed {
		want.boxed = 1
	}
	return s.step(ctx, func(again bool) C.int {
		if again {
			return C.iiifd_short_more(state)
		}
		return C.iiifd_short_wavelet(state, &pic, &want, (*C.uchar)(&stream.b[0]), C.int64_t(len(stream.b)))
	}, true)
}

// endOfCodestream is the marker that ends a codestream.
const endOfCodestream = "\xff\xd9"

// cutStream puts together the head of obj's codestream and the parts of the
// tiles that p's crop touches.
func cutStream(obj source.Object, t *header.TileParts, p *plan.Plan) (*buffer, error) {
	step := 1 << p.Shape.Levels[p.Level].Reduction
	c := p.Crop
	left, top := c.X*step/t.Width, c.Y*step/t.Height
	right := min(((c.X+c.Width)*step-1)/t.Width, t.Across-1)
	bottom := min(((c.Y+c.Height)*step-1)/t.Height, t.Down-1)
	total := len(t.Head) + len(endOfCodestream)
	t.Each(left, top, right, bottom, func(_ int64, n int) { total += n })
	if int64(total) > p.ShortStreamBytes() {
		return nil, errDeclined
	}
	stream := newBuffer(total)
	at := copy(stream.b, t.Head)
	// Parts that lie one after the other are one read.
	from, length := int64(0), 0
	var err error
	fetch := func() {
		if length > 0 && err == nil {
			err = readFull(obj, stream.b[at:at+length], from)
		}
		at += length
		length = 0
	}
	t.Each(left, top, right, bottom, func(off int64, n int) {
		if off != from+int64(length) {
			fetch()
			from = off
		}
		length += n
	})
	fetch()
	copy(stream.b[at:], endOfCodestream)
	if err != nil {
		stream.free()
		return nil, err
	}
	return stream, nil
}
