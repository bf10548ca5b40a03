package header

import (
	"errors"
	"io"

	"example.com/iiifd/decode/plan"
)

const (
	tagTileByteCounts = 325
	tagJPEGTables     = 347

	// maxTiles is how many tiles a table may have: a level of 17 gigapixels
	// in tiles of 256.
	maxTiles = 1 << 18
	// maxTables is the longest JPEGTables; four tables of each kind take 2 KiB.
	maxTables = 16 << 10
)

// ErrNoTiles is returned where a level has no JPEG tiles that can be taken
// out one by one, or too many to list.
var ErrNoTiles = errors.New("header: no list of JPEG tiles")

// Tiles says where a TIFF level's JPEG tiles lie in the file. It is not
// changed after it was read.
type Tiles struct {
	// Across and Down count the tiles of a row and the rows.
	Across, Down int
	// Width and Height are a tile's sides, Bands its channels.
	Width, Height, Bands int
	// Colour is that of the stored samples: gray, RGB or YCbCr.
	Colour plan.Colour
	// Tables are the coding tables that the tiles share, an abbreviated JPEG
	// stream, or nil.
	Tables []byte

	offsets []int64
	counts  []uint32
}

// Tile returns the place of the tile in a column and a row: n bytes at off,
// within the file, or ok false for a tile that is not stored.
func (t *Tiles) Tile(column, row int) (off int64, n int, ok bool) {
	i := row*t.Across + column
	if column < 0 || column >= t.Across || i < 0 || i >= len(t.offsets) {
		return 0, 0, false
	}
	return t.offsets[i], int(t.counts[i]), t.counts[i] > 0
}

// Bytes is the memory that t takes.
func (t *Tiles) Bytes() int64 { return int64(12*len(t.offsets) + len(t.Tables) + 256) }

// ReadTiles lists the tiles of the directory that plan.Level addresses by
// page and subIFD (-1 for the page itself). The error is ErrNoTiles, a
// *CorruptError, or what r returned.
func ReadTiles(r io.ReaderAt, size int64, page, subIFD int) (*Tiles, error) {
	in := newInput(r, size)
	in.loader = plan.LoaderTIFF
	dirs, off, err := newIFDReader(in)
	if err != nil {
		return nil, err
	}
	if off, err = dirs.locate(off, page, subIFD); err != nil {
		return nil, err
	}
	d, _, err := dirs.directory(off)
	if err != nil {
		return nil, err
	}
	p, err := dirs.plane(&d)
	if err != nil {
		return nil, err
	}
	if !p.jpegTiles() || p.width < 1 || p.height < 1 || p.width > maxSide || p.height > maxSide || p.tileWidth > maxSide || p.tileHeight > maxSide {
		return nil, ErrNoTiles
	}
	t := &Tiles{
		Across: int(ceilDiv(p.width, p.tileWidth)), Down: int(ceilDiv(p.height, p.tileHeight)),
		Width: int(p.tileWidth), Height: int(p.tileHeight), Bands: int(p.samples), Colour: p.jpegColour(),
	}
	return t, dirs.fill(t, &d)
}

// locate walks the chain to a page and below it.
func (r ifdReader) locate(off int64, page, subIFD int) (int64, error) {
	if page < 0 || page >= maxDirectories {
		return 0, ErrNoPage
	}
	for range page {
		_, next, err := r.directory(off)
		if err != nil {
			return 0, err
		}
		off = next
	}
	if subIFD < 0 {
		return off, nil
	}
	d, _, err := r.directory(off)
	if err != nil {
		return 0, err
	}
	off, ok, err := r.value(d.entry(tagSubIFDs), int64(subIFD))
	if err == nil && !ok {
		err = ErrNoPage
	}
	return off, err
}

func (p plane) jpegColour() plan.Colour {
	switch p.photometric {
	case photometricYCbCr:
		return plan.ColourYCbCr
	case photometricRGB:
		return plan.ColourRGB
	}
	return plan.ColourGray
}

// fill reads the lists of places and the tables.
func (r ifdReader) fill(t *Tiles, d *directory) error {
	n := int64(t.Across) * int64(t.Down)
	offsets, counts := d.entry(tagTileOffsets), d.entry(tagTileByteCounts)
	if n > maxTiles || offsets.count < n || counts.count < n {
		return ErrNoTiles
	}
	t.offsets, t.counts = make([]int64, n), make([]uint32, n)
	// One list after the other: they lie apart, and reads are in windows.
	for i := range n {
		length, ok, err := r.value(counts, i)
		if err != nil || !ok {
			return errors.Join(err, ErrNoTiles)
		}
		if length > 0 && length <= 1<<31-1 {
			t.counts[i] = uint32(length)
		}
	}
	for i := range n {
		off, ok, err := r.value(offsets, i)
		if err != nil || !ok {
			return errors.Join(err, ErrNoTiles)
		}
		t.offsets[i] = off
		if off <= 0 || off > r.in.size || int64(t.counts[i]) > r.in.size-off {
			t.counts[i] = 0
		}
	}
	tables := d.entry(tagJPEGTables)
	if tables.count == 0 || tables.count > maxTables {
		return nil
	}
	b, err := r.in.at(tables.off, int(tables.count))
	if err != nil {
		return err
	}
	t.Tables = append([]byte(nil), b...)
	return nil
}
