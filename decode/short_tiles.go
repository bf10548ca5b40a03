package decode

// #include "short.h"
import "C"

import (
	"context"
	"io"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// colours of stored JPEG tiles as C names them.
var shortColours = map[plan.Colour]C.int32_t{
	plan.ColourGray: C.IIIFD_COLOUR_GRAY, plan.ColourRGB: C.IIIFD_COLOUR_RGB, plan.ColourYCbCr: C.IIIFD_COLOUR_YCBCR,
}

// tileBatch is some tiles, in reading order, and their bytes.
type tileBatch struct {
	data  []byte
	tiles []C.IiifdTile
	// from is where in the file the bytes at data[at:] begin that are not
	// read yet: tiles that lie one after the other are one read.
	from int64
	at   int
}

// renderTiles decodes the tiles that p's crop touches, shrinks and encodes.
func (e *Engine) renderTiles(ctx context.Context, obj source.Object, p *plan.Plan, w io.Writer) error {
	t, err := e.tiles(obj, p)
	if err != nil {
		return err
	}
	state, err := e.short.get()
	if err != nil {
		return err
	}
	defer e.short.put(state, p)
	buf := newBuffer(0)
	defer buf.free()
	r := tileRun{session: session{shorts: e.short, state: state, w: w}, tiles: t, picture: shortPicture(p), obj: obj}
	r.picture.colour = shortColours[t.Colour]
	r.batch.data = buf.b
	defer func() { buf.b = r.batch.data }()
	return r.all(ctx, p)
}

// tileRun is a picture made of stored tiles.
type tileRun struct {
	session
	obj     source.Object
	tiles   *header.Tiles
	picture C.IiifdPicture
	batch   tileBatch
	begun   bool
}

// all goes through the tiles row by row.
func (r *tileRun) all(ctx context.Context, p *plan.Plan) error {
	c, tw, th := p.Crop, r.tiles.Width, r.tiles.Height
	right, bottom := (c.X+c.Width-1)/tw, (c.Y+c.Height-1)/th
	for row := c.Y / th; row <= bottom; row++ {
		for column := c.X / tw; column <= right; column++ {
			if err := r.one(ctx, c, column, row, column == right); err != nil {
				return err
			}
		}
	}
	return r.flush(ctx, true)
}

// one adds the part of a tile that lies in the crop; last says that it is the
// last of its row.
func (r *tileRun) one(ctx context.Context, crop iiif.Rect, column, row int, last bool) error {
	tw, th := r.tiles.Width, r.tiles.Height
	off, n, ok := r.tiles.Tile(column, row)
	if !ok || n > int(plan.ShortTileBytes(tw, th, r.tiles.Bands)) {
		return r.failure(C.IIIFD_SHORT_FOREIGN)
	}
	if len(r.batch.tiles) > 0 && len(r.batch.data)+n > plan.ShortBatch {
		if err := r.flush(ctx, false); err != nil {
			return err
		}
	}
	x0, y0 := max(crop.X, column*tw), max(crop.Y, row*th)
	x1, y1 := min(crop.X+crop.Width, (column+1)*tw), min(crop.Y+crop.Height, (row+1)*th)
	tile := C.IiifdTile{
		length: C.int32_t(n), x: C.int32_t(x0 - crop.X),
		left: C.int32_t(x0 - column*tw), top: C.int32_t(y0 - row*th),
		width: C.int32_t(x1 - x0), height: C.int32_t(y1 - y0),
	}
	if last {
		tile.last = 1
	}
	return r.batch.add(r.obj, tile, off, n)
}

// add appends a tile of n bytes at off in the file.
func (b *tileBatch) add(obj source.Object, tile C.IiifdTile, off int64, n int) error {
	if off != b.from+int64(len(b.data)-b.at) {
		if err := b.read(obj); err != nil {
			return err
		}
		b.from = off
	}
	tile.offset = C.int64_t(len(b.data))
	b.tiles = append(b.tiles, tile)
	b.data = extend(b.data, n)
	return nil
}

// read fetches what add put off.
func (b *tileBatch) read(obj source.Object) error {
	if b.at == len(b.data) {
		return nil
	}
	err := readFull(obj, b.data[b.at:], b.from)
	b.at = len(b.data)
	return err
}

// extend makes b longer by n bytes of any content.
func extend(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b[:len(b)+n]
	}
	longer := make([]byte, len(b)+n, max(len(b)+n, min(2*cap(b), plan.ShortBatch+plan.ShortBatch/4)))
	copy(longer, b)
	return longer
}

// flush decodes the batch.
func (r *tileRun) flush(ctx context.Context, last bool) error {
	b := &r.batch
	if err := b.read(r.obj); err != nil {
		return err
	}
	tables, length := (*C.uchar)(nil), C.int(len(r.tiles.Tables))
	if length > 0 {
		tables = (*C.uchar)(&r.tiles.Tables[0])
	}
	data, size := (*C.uchar)(&b.data[0]), C.int64_t(len(b.data))
	err := r.step(ctx, func(again bool) C.int {
		if !again && !r.begun {
			return C.iiifd_short_tile(r.state, &r.picture, tables, length, data, size, &b.tiles[0], C.int(len(b.tiles)))
		}
		return C.iiifd_short_tiles(r.state, tables, length, data, size, &b.tiles[0], C.int(len(b.tiles)))
	}, last)
	r.begun = true
	b.data, b.tiles, b.at, b.from = b.data[:0], b.tiles[:0], 0, 0
	return err
}
