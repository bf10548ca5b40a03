package header

import (
	"encoding/binary"

	"example.com/iiifd/decode/plan"
)

// The markers of ISO 15444-1, table A.2, that are read.
const (
	markerSIZ = 0xff51
	markerCOD = 0xff52
	markerSOT = 0xff90
	markerSOD = 0xff93
)

// maxJ2KMarkers bounds the segments of a main header; PPM, PLT and COM
// segments may come in numbers.
const maxJ2KMarkers = 4096

// grid is the reference grid of a codestream's SIZ segment.
type grid struct {
	x1, y1, x0, y0 int64
	tileW, tileH   int64
	tileX, tileY   int64
}

// readCodestream reads the main header of the JPEG 2000 codestream at off and
// the first tile-part's marker.
func readCodestream(in *input, s *plan.Shape, off int64) error {
	var g grid
	sized, coded := false, false
	off += 2
	for range maxJ2KMarkers {
		marker, err := in.be16(off)
		if err != nil {
			return err
		}
		n, err := in.be16(off + 2)
		if err != nil {
			return err
		}
		body := span{off: off + 4, len: int64(n) - 2}
		switch marker {
		case markerSIZ:
			sized = true
			g, err = readSIZ(in, s, body)
		case markerCOD:
			coded = true
			err = readCOD(in, s, body)
		case markerSOT, markerSOD:
			if !sized || !coded {
				return in.corrupt("a tile before the image's size and coding")
			}
			g.levels(s)
			if marker == markerSOT {
				err = readSOT(in, s, body)
			}
			return err
		}
		if err != nil {
			return err
		}
		if n < 2 || marker < 0xff00 {
			return in.corrupt("no marker where one must be")
		}
		off += 2 + int64(n)
	}
	return in.corrupt("more than %d marker segments", maxJ2KMarkers)
}

func readSIZ(in *input, s *plan.Shape, body span) (grid, error) {
	b, err := in.within(body, 2, 34)
	if err != nil {
		return grid{}, err
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint32(b[4*i:])) }
	g := grid{x1: at(0), y1: at(1), x0: at(2), y0: at(3), tileW: at(4), tileH: at(5), tileX: at(6), tileY: at(7)}
	comps := int(binary.BigEndian.Uint16(b[32:]))
	if g.x1 <= g.x0 || g.y1 <= g.y0 || g.tileW < 1 || g.tileH < 1 || g.tileX > g.x0 || g.tileY > g.y0 {
		return g, in.corrupt("an impossible grid")
	}
	if comps < 1 || comps > maxBands {
		return g, in.corrupt("%d components", comps)
	}
	s.Bands = comps
	c, err := in.within(body, 36, 3*comps)
	if err != nil {
		return g, err
	}
	dx0, dy0 := int64(c[1]), int64(c[2])
	if dx0 < 1 || dy0 < 1 {
		return g, in.corrupt("components without samples")
	}
	for i := range comps {
		s.BitsPerSample = max(s.BitsPerSample, int(c[3*i]&0x7f)+1)
		if c[3*i]&0x80 != 0 {
			s.Sample = plan.SampleInt
		}
		dx, dy := int64(c[3*i+1]), int64(c[3*i+2])
		if dx < 1 || dy < 1 {
			return g, in.corrupt("components without samples")
		}
		if dx != dx0 || dy != dy0 {
			s.Subsampling = subsamplingName(int(dx/dx0), int(dy/dy0))
		}
	}
	// The decoded size is that of the first component (jp2kload.c).
	s.Width, s.Height = int(ceilDiv(g.x1, dx0)-ceilDiv(g.x0, dx0)), int(ceilDiv(g.y1, dy0)-ceilDiv(g.y0, dy0))
	return g, nil
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func readCOD(in *input, s *plan.Shape, body span) error {
	b, err := in.within(body, 0, 10)
	if err != nil {
		return err
	}
	s.Precincts = b[0]&1 != 0
	s.Layers = int(binary.BigEndian.Uint16(b[2:]))
	decompositions := int(b[5])
	if decompositions > 32 || b[6] > 8 || b[7] > 8 {
		return in.corrupt("an impossible coding style")
	}
	s.Resolutions = decompositions + 1
	s.CodeBlockWidth, s.CodeBlockHeight = 1<<(b[6]+2), 1<<(b[7]+2)
	s.Lossless = b[9] == 1
	return nil
}

// readSOT takes the number of tile-parts from the first tile-part, where it
// need not be given.
func readSOT(in *input, s *plan.Shape, body span) error {
	b, err := in.within(body, 0, 8)
	if err != nil {
		return err
	}
	s.TileParts = int(b[7])
	return nil
}

// levels lists the resolutions. Sizes are those of ISO 15444-1, equation
// B-14, over the whole image.
func (g grid) levels(s *plan.Shape) {
	fullW, fullH := int64(s.Width), int64(s.Height)
	tiled := g.tileX+g.tileW < g.x1 || g.tileY+g.tileH < g.y1
	dx, dy := (g.x1-g.x0+fullW-1)/fullW, (g.y1-g.y0+fullH-1)/fullH
	x0, y0 := ceilDiv(g.x0, dx), ceilDiv(g.y0, dy)
	tileW, tileH := min(ceilDiv(g.tileW, dx), fullW), min(ceilDiv(g.tileH, dy), fullH)
	s.Levels = make([]plan.Level, 0, s.Resolutions)
	for r := range s.Resolutions {
		step := int64(1) << r
		w := ceilDiv(x0+fullW, step) - ceilDiv(x0, step)
		h := ceilDiv(y0+fullH, step) - ceilDiv(y0, step)
		if r > 0 && (w < 1 || h < 1) {
			break
		}
		s.Levels = append(s.Levels, plan.Level{
			Width: int(w), Height: int(h), Tiled: tiled,
			TileWidth: int(ceilDiv(tileW, step)), TileHeight: int(ceilDiv(tileH, step)),
			SubIFD: -1, Reduction: r,
		})
	}
}
