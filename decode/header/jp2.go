package header

import (
	"encoding/binary"

	"example.com/iiifd/decode/plan"
)

// box is one box of the ISO base media format, which JP2 (ISO 15444-1,
// annex I), HEIF and JPEG XL containers share.
type box struct {
	kind string
	body span
	next int64
}

// box reads the box at off inside a block that ends at end.
func (in *input) box(off, end int64) (box, error) {
	h, err := in.at(off, 8)
	if err != nil {
		return box{}, err
	}
	n, head := int64(binary.BigEndian.Uint32(h)), int64(8)
	kind := string(h[4:8])
	switch n {
	case 0:
		n = end - off
	case 1:
		big, err := in.at(off+8, 8)
		if err != nil {
			return box{}, err
		}
		n, head = offset(binary.BigEndian.Uint64(big)), 16
	}
	if n < head || n > end-off {
		return box{}, in.corrupt("a %q box of %d bytes", kind, n)
	}
	return box{kind: kind, body: span{off: off + head, len: n - head}, next: off + n}, nil
}

// maxBoxes bounds the boxes of one block.
const maxBoxes = 1 << 14

// boxes calls do for each box of a block until it returns stop or an error.
func (in *input) boxes(block span, do func(b box) (stop bool, err error)) error {
	end := block.off + block.len
	off := block.off
	for range maxBoxes {
		if off+8 > end {
			return nil
		}
		b, err := in.box(off, end)
		if err != nil {
			return err
		}
		stop, err := do(b)
		if err != nil || stop {
			return err
		}
		off = b.next
	}
	return in.corrupt("more than %d boxes in a row", maxBoxes)
}

// readJP2 reads a JP2 file or a bare codestream.
func readJP2(in *input, s *plan.Shape, _ int) error {
	b, err := in.at(0, 4)
	if err != nil {
		return err
	}
	if b[0] == 0xff {
		if err := readCodestream(in, s, 0); err != nil {
			return err
		}
		return jp2Finish(in, s, jp2Colours{})
	}
	found := false
	var colours jp2Colours
	err = in.boxes(span{len: in.size}, func(b box) (bool, error) {
		switch b.kind {
		case "jp2h":
			return false, in.boxes(b.body, func(b box) (bool, error) { return false, colours.take(in, s, b) })
		case "jp2c":
			found = true
			return true, readCodestream(in, s, b.body.off)
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	if !found {
		return in.corrupt("no codestream")
	}
	return jp2Finish(in, s, colours)
}

// jp2Colours is what the JP2 header says beyond the codestream.
type jp2Colours struct {
	seen    bool // a colour specification; the first one counts
	columns int  // channels made by a palette
	alpha   bool
}

func (c *jp2Colours) take(in *input, s *plan.Shape, b box) error {
	switch b.kind {
	case "colr":
		return c.specification(in, s, b.body)
	case "pclr":
		h, err := in.within(b.body, 0, 3)
		if err != nil {
			return err
		}
		s.Palette, c.columns = true, int(h[2])
	case "cdef":
		return c.definition(in, b.body)
	}
	return nil
}

func (c *jp2Colours) specification(in *input, s *plan.Shape, body span) error {
	h, err := in.within(body, 0, 3)
	if err != nil {
		return err
	}
	if c.seen {
		return nil
	}
	switch h[0] {
	case 1:
		e, err := in.within(body, 3, 4)
		if err != nil {
			return err
		}
		c.seen = true
		switch binary.BigEndian.Uint32(e) {
		case 12:
			s.Colour = plan.ColourCMYK
		case 14:
			s.Colour = plan.ColourLab
		case 16:
			s.Colour, s.SRGB = plan.ColourRGB, true
		case 17:
			s.Colour, s.SRGB = plan.ColourGray, true
		case 18:
			s.Colour = plan.ColourYCbCr
		}
	case 2, 3:
		c.seen = true
		profile := body.after(3)
		s.ICCBytes = profile.len
		s.SRGB = describesSRGB(in, profile)
	}
	return nil
}

func (c *jp2Colours) definition(in *input, body span) error {
	h, err := in.within(body, 0, 2)
	if err != nil {
		return err
	}
	for i := range int64(binary.BigEndian.Uint16(h)) {
		e, err := in.within(body, 2+6*i, 6)
		if err != nil {
			return err
		}
		kind := binary.BigEndian.Uint16(e[2:])
		c.alpha = c.alpha || kind == 1 || kind == 2
	}
	return nil
}

// jp2Finish settles colour and alpha, which codestream and boxes decide
// together.
func jp2Finish(in *input, s *plan.Shape, c jp2Colours) error {
	if s.Palette {
		if c.columns < 1 {
			return in.corrupt("an empty palette")
		}
		s.Bands, s.BitsPerSample = c.columns, max(8, s.BitsPerSample)
	}
	if s.Colour == "" {
		switch {
		case s.Bands <= 2:
			s.Colour = plan.ColourGray
		case s.Bands <= 4:
			s.Colour = plan.ColourRGB
		default:
			s.Colour = plan.ColourOther
		}
	}
	colours := 3
	switch s.Colour {
	case plan.ColourGray:
		colours = 1
	case plan.ColourCMYK:
		colours = 4
	default:
	}
	s.Alpha = c.alpha || s.Bands > colours && s.Colour != plan.ColourOther
	return nil
}
