package header

import (
	"encoding/binary"

	"example.com/iiifd/decode/plan"
)

// gifScan is how far frames are counted where only the first is asked for;
// pixels are chained in pieces of 255 bytes, so counting reads all of them.
const gifScan = 1 << 20

// readGIF walks the blocks of GIF89a. With a page above 0 the whole file is
// walked; otherwise counting frames stops after gifScan bytes, and a long
// animation has fewer Pages than frames.
func readGIF(in *input, s *plan.Shape, page int) error {
	h, err := in.at(0, 13)
	if err != nil {
		return err
	}
	s.Width, s.Height = int(binary.LittleEndian.Uint16(h[6:])), int(binary.LittleEndian.Uint16(h[8:]))
	s.BitsPerSample, s.Bands = 8, 3
	s.Colour, s.Palette, s.Lossless = plan.ColourRGB, true, true
	g := gifWalk{in: in, s: s, off: 13 + gifTable(h[10]), limit: gifScan}
	if page > 0 {
		g.limit = in.size
	}
	frames, err := g.frames()
	if err != nil {
		return err
	}
	if frames == 0 {
		return in.corrupt("no frame")
	}
	s.Pages, s.Animated = frames, frames > 1
	if s.Alpha {
		s.Bands = 4
	}
	return nil
}

// gifTable is the length of the colour table a flags byte announces.
func gifTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

type gifWalk struct {
	in         *input
	s          *plan.Shape
	off, limit int64
}

// frames counts image descriptors. A file that ends early still has the
// frames counted so far; the decoder decides what it makes of them.
func (g *gifWalk) frames() (int, error) {
	n := 0
	for g.off < g.in.size && (g.off < g.limit || n == 0) {
		kind, err := g.in.u8(g.off)
		if err != nil {
			return n, err
		}
		switch kind {
		case 0x21:
			err = g.extension()
		case 0x2c:
			n++
			err = g.image(n)
		default:
			return n, nil
		}
		if err != nil {
			if n > 0 && isCorrupt(err) {
				return n, nil
			}
			return n, err
		}
	}
	return n, nil
}

func (g *gifWalk) extension() error {
	b, err := g.in.at(g.off, 2)
	if err != nil {
		return err
	}
	if b[1] == 0xf9 {
		control, err := g.in.at(g.off, 4)
		if err != nil {
			return err
		}
		g.s.Alpha = g.s.Alpha || control[3]&1 != 0
	}
	g.off += 2
	return g.skip()
}

func (g *gifWalk) image(n int) error {
	b, err := g.in.at(g.off, 10)
	if err != nil {
		return err
	}
	if n == 1 && (g.s.Width == 0 || g.s.Height == 0) {
		g.s.Width, g.s.Height = int(binary.LittleEndian.Uint16(b[5:])), int(binary.LittleEndian.Uint16(b[7:]))
	}
	g.off += 10 + gifTable(b[9]) + 1
	if n == 1 && g.limit <= g.off {
		return nil
	}
	return g.skip()
}

// skip passes a chain of data blocks.
func (g *gifWalk) skip() error {
	for g.off < max(g.limit, window) {
		n, err := g.in.u8(g.off)
		if err != nil {
			return err
		}
		g.off += 1 + int64(n)
		if n == 0 {
			break
		}
	}
	return nil
}
