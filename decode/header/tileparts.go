package header

import (
	"encoding/binary"
	"io"
	"slices"

	"example.com/iiifd/decode/plan"
)

// Further markers of ISO 15444-1, table A.2.
const (
	markerTLM = 0xff55
	markerPLM = 0xff57
	markerPPM = 0xff60
	markerEOC = 0xffd9
)

const (
	// maxCodestreamHead bounds what stands before the first tile-part: boxes
	// and main header.
	maxCodestreamHead = 256 << 10
	// maxTileParts is a bit less than maxReads: each costs a read.
	maxTileParts = 15 << 10
)

// TileParts says where the tile-parts of a tiled JPEG 2000 codestream lie, so
// that a stream of only those that a region needs can be put together. It is
// not changed after it was read.
type TileParts struct {
	// Across and Down count the tiles of a row and the rows, Width and Height
	// are a tile's sides at full size.
	Across, Down, Width, Height int
	// Boxed tells a JP2 file from a bare codestream.
	Boxed bool
	// Head is all of the file before the first tile-part, without the
	// markers that tell where tile-parts lie.
	Head []byte

	parts []tilePart // in the file's order
}

type tilePart struct {
	tile   int32
	length int32
	off    int64
}

// Bytes is the memory that t takes.
func (t *TileParts) Bytes() int64 { return int64(16*len(t.parts) + len(t.Head) + 256) }

// Each calls f with the place of every part of the tiles in the columns and
// rows given, the last ones included, in the file's order.
func (t *TileParts) Each(left, top, right, bottom int, f func(off int64, n int)) {
	for _, p := range t.parts {
		column, row := int(p.tile)%t.Across, int(p.tile)/t.Across
		if column >= left && column <= right && row >= top && row <= bottom {
			f(p.off, int(p.length))
		}
	}
}

// ReadTileParts lists a codestream's tile-parts. The error is ErrNoTiles for
// codestreams whose tile-parts do not stand for themselves or are too many, a
// *CorruptError, or what r returned.
func ReadTileParts(r io.ReaderAt, size int64) (*TileParts, error) {
	in := newInput(r, size)
	in.loader = plan.LoaderJP2
	t := &TileParts{}
	stream := span{len: in.size}
	b, err := in.at(0, 4)
	if err != nil {
		return nil, err
	}
	if b[0] != 0xff {
		t.Boxed = true
		stream = span{}
		err = in.boxes(span{len: in.size}, func(b box) (bool, error) {
			if b.kind == "jp2c" {
				stream = b.body
			}
			return b.kind == "jp2c", nil
		})
		if err != nil {
			return nil, err
		}
	}
	first, err := t.mainHeader(in, stream)
	if err != nil {
		return nil, err
	}
	return t, t.walk(in, first, stream.off+stream.len)
}

// mainHeader copies the head and returns where the first tile-part begins.
func (t *TileParts) mainHeader(in *input, stream span) (int64, error) {
	off := stream.off + 2
	if off > maxCodestreamHead {
		return 0, ErrNoTiles
	}
	if err := t.copy(in, 0, off); err != nil {
		return 0, err
	}
	for range maxJ2KMarkers {
		h, err := in.at(off, 4)
		if err != nil {
			return 0, err
		}
		marker, n := binary.BigEndian.Uint16(h), int64(binary.BigEndian.Uint16(h[2:]))
		switch {
		case marker == markerSOT:
			if t.Across == 0 {
				return 0, in.corrupt("a tile before the image's size")
			}
			return off, nil
		case n < 2 || marker < 0xff00:
			return 0, in.corrupt("no marker where one must be")
		case marker == markerPPM:
			return 0, ErrNoTiles
		case marker == markerSIZ:
			err = t.size(in, span{off: off + 4, len: n - 2})
		}
		if err == nil && marker != markerTLM && marker != markerPLM {
			err = t.copy(in, off, 2+n)
		}
		if err != nil {
			return 0, err
		}
		off += 2 + n
	}
	return 0, in.corrupt("more than %d marker segments", maxJ2KMarkers)
}

// copy appends n bytes of the file to the head.
func (t *TileParts) copy(in *input, off, n int64) error {
	if int64(len(t.Head))+n > maxCodestreamHead {
		return ErrNoTiles
	}
	for n > 0 {
		piece := min(n, maxSpan)
		b, err := in.at(off, int(piece))
		if err != nil {
			return err
		}
		t.Head = append(t.Head, b...)
		off, n = off+piece, n-piece
	}
	return nil
}

func (t *TileParts) size(in *input, body span) error {
	var s plan.Shape
	g, err := readSIZ(in, &s, body)
	if err != nil {
		return err
	}
	if g.x0 != 0 || g.y0 != 0 || g.tileX != 0 || g.tileY != 0 {
		return ErrNoTiles
	}
	across, down := ceilDiv(g.x1, g.tileW), ceilDiv(g.y1, g.tileH)
	if across*down > 1<<16 || g.tileW > maxSide || g.tileH > maxSide {
		return ErrNoTiles
	}
	t.Across, t.Down, t.Width, t.Height = int(across), int(down), int(g.tileW), int(g.tileH)
	return nil
}

// walk follows the tile-parts to the end of the codestream.
func (t *TileParts) walk(in *input, off, end int64) error {
	for {
		h, err := in.upTo(off, 12)
		if err != nil {
			return err
		}
		if len(h) < 2 {
			return in.corrupt("the codestream has no end")
		}
		switch marker := binary.BigEndian.Uint16(h); {
		case marker == markerEOC:
			t.parts = slices.Clip(t.parts)
			return nil
		case marker != markerSOT || len(h) < 12:
			return in.corrupt("no tile-part where one must be")
		case len(t.parts) == maxTileParts:
			return ErrNoTiles
		}
		tile, n := int32(binary.BigEndian.Uint16(h[4:])), int64(binary.BigEndian.Uint32(h[6:]))
		if n == 0 { // Up to the end (A.4.2).
			n = end - 2 - off
		}
		if n < 14 || n > end-off || n > 1<<31-1 || int(tile) >= t.Across*t.Down {
			return in.corrupt("an impossible tile-part")
		}
		t.parts = append(t.parts, tilePart{tile: tile, length: int32(n), off: off})
		off += n
	}
}
