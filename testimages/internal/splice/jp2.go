package splice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

var errJP2 = errors.New("splice: JP2 is not of the expected structure")

// codestream is a JP2 file taken apart. Slices point into copies.
type codestream struct {
	boxes []byte   // the file up to the jp2c box's length
	main  []byte   // SOC and main header
	tiles [][]byte // tile-parts, SOT included, in the order of tiles
}

// parse takes a file apart in which each tile has one part and the parts
// stand in order, as opj_compress writes them.
func parse(file []byte) (*codestream, error) {
	start := bytes.Index(file, []byte("jp2c\xff\x4f\xff\x51"))
	if start < 4 {
		return nil, errJP2
	}
	c := &codestream{boxes: bytes.Clone(file[:start-4])}
	data := file[start+4:]
	at := 2
	for at+4 <= len(data) && binary.BigEndian.Uint16(data[at:]) != 0xff90 {
		at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
	}
	c.main = bytes.Clone(data[:at])
	for at+12 <= len(data) && binary.BigEndian.Uint16(data[at:]) == 0xff90 {
		size := int(binary.BigEndian.Uint32(data[at+6:]))
		if size < 12 || at+size > len(data) || int(binary.BigEndian.Uint16(data[at+4:])) != len(c.tiles) {
			return nil, errJP2
		}
		c.tiles = append(c.tiles, bytes.Clone(data[at:at+size]))
		at += size
	}
	if at+2 > len(data) || len(c.tiles) == 0 {
		return nil, errJP2
	}
	return c, nil
}

// resize sets the image's size in the ihdr box and in SIZ, where tiles get
// the given sides.
func (c *codestream) resize(width, height, tileWidth, tileHeight int) error {
	ihdr := bytes.Index(c.boxes, []byte("ihdr"))
	if ihdr < 0 {
		return errJP2
	}
	binary.BigEndian.PutUint32(c.boxes[ihdr+4:], uint32(height))
	binary.BigEndian.PutUint32(c.boxes[ihdr+8:], uint32(width))
	siz := c.main[8:] // behind SOC, the marker, Lsiz and Rsiz
	binary.BigEndian.PutUint32(siz, uint32(width))
	binary.BigEndian.PutUint32(siz[4:], uint32(height))
	binary.BigEndian.PutUint32(siz[16:], uint32(tileWidth))
	binary.BigEndian.PutUint32(siz[20:], uint32(tileHeight))
	return nil
}

// writeHead writes all before the first tile-part, for tile-parts of the
// given length together.
func (c *codestream) writeHead(out *errWriter, tiles int64) {
	out.write(c.boxes)
	box := int64(8+len(c.main)+2) + tiles
	out.write(binary.BigEndian.AppendUint32(nil, uint32(box)))
	out.write([]byte("jp2c"))
	out.write(c.main)
}

// SourceSide is the side of the small file that JP2Tiles makes a large side
// of: up to three whole tiles and the last, narrow one.
func SourceSide(side, tile int) int { return min(side/tile, 3)*tile + side%tile }

// JP2Tiles repeats tiles until the image has the given size. The file must be
// SourceSide(width, tile)×SourceSide(height, tile) large. The tile's side is
// a power of two that is not below 2^levels×64 or so: then the code-blocks of
// a tile do not depend on its place.
func JP2Tiles(w io.Writer, file []byte, tile, width, height int) error {
	c, err := parse(file)
	if err != nil {
		return err
	}
	across, down := (width+tile-1)/tile, (height+tile-1)/tile
	srcAcross := (SourceSide(width, tile) + tile - 1) / tile
	srcDown := (SourceSide(height, tile) + tile - 1) / tile
	if len(c.tiles) != srcAcross*srcDown || across*down > 65535 {
		return errJP2
	}
	if err := c.resize(width, height, tile, tile); err != nil {
		return err
	}
	pick := func(i int) []byte {
		x := sourceTile(i%across, across, srcAcross, width%tile != 0)
		y := sourceTile(i/across, down, srcDown, height%tile != 0)
		return c.tiles[y*srcAcross+x]
	}
	var total int64
	for i := range across * down {
		total += int64(len(pick(i)))
	}
	out := &errWriter{w: w}
	c.writeHead(out, total)
	for i := range across * down {
		part := pick(i)
		binary.BigEndian.PutUint16(part[4:], uint16(i)) // Isot
		out.write(part)
	}
	out.write([]byte{0xff, 0xd9})
	return out.err
}

// sourceTile picks the tile for place i of n: the narrow last one for the
// last place, whole ones in turn for the others.
func sourceTile(i, n, source int, narrow bool) int {
	if !narrow {
		return i % source
	}
	if i == n-1 {
		return source - 1
	}
	return i % (source - 1)
}

// JP2Levels makes an untiled image larger by adding halvings whose details
// are all zero: it shows the small image, smoothly enlarged, and costs a
// decoder the memory of the large one. The small sides must be the large
// ones halved as often and rounded up; the file must have one layer, order
// LRCP or RLCP, no precincts and the 9/7 transform.
func JP2Levels(w io.Writer, file []byte, width, height, levels int) error {
	c, err := parse(file)
	if err != nil {
		return err
	}
	if len(c.tiles) != 1 {
		return errJP2
	}
	if err := c.resize(width, height, width, height); err != nil {
		return err
	}
	components := int(binary.BigEndian.Uint16(c.main[40:])) // Csiz
	if err := c.deepen(levels); err != nil {
		return err
	}
	part := c.tiles[0]
	for i := levels - 1; i >= 0; i-- {
		rw, rh := (width+1<<i-1)>>i, (height+1<<i-1)>>i
		// One packet per precinct of 32768 and component; a zero bit says that
		// it is empty.
		packets := components * ((rw + 32767) >> 15) * ((rh + 32767) >> 15)
		part = append(part, make([]byte, packets)...)
	}
	binary.BigEndian.PutUint32(part[6:], uint32(len(part))) // Psot
	out := &errWriter{w: w}
	c.writeHead(out, int64(len(part)))
	out.write(part)
	out.write([]byte{0xff, 0xd9})
	return out.err
}

// deepen adds levels to COD and step sizes to QCD, for each level three of
// the finest there are.
func (c *codestream) deepen(levels int) error {
	head := bytes.Clone(c.main[:2])
	for at := 2; at+4 <= len(c.main); {
		size := 2 + int(binary.BigEndian.Uint16(c.main[at+2:]))
		segment := bytes.Clone(c.main[at : at+size])
		at += size
		switch binary.BigEndian.Uint16(segment) {
		case 0xff52: // COD: order LRCP or RLCP, one layer, no precincts
			if segment[4]&1 != 0 || segment[5] > 1 || binary.BigEndian.Uint16(segment[6:]) != 1 {
				return errJP2
			}
			segment[9] += byte(levels)
		case 0xff5c: // QCD with a step size of two bytes for each subband
			if segment[4]&0x1f != 2 {
				return errJP2
			}
			finest := bytes.Clone(segment[size-6:])
			for range levels {
				segment = append(segment, finest...)
			}
			binary.BigEndian.PutUint16(segment[2:], uint16(len(segment)-2))
		}
		head = append(head, segment...)
	}
	c.main = head
	return nil
}
