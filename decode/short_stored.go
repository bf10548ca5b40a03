package decode

import (
	"bytes"
	"io"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// renderStored passes the one tile that p asks for on as a JPEG file of its
// own.
func (e *Engine) renderStored(obj source.Object, p *plan.Plan, w io.Writer) error {
	t, err := e.tiles(obj, p)
	if err != nil {
		return err
	}
	off, n, ok := t.Tile(p.Crop.X/t.Width, p.Crop.Y/t.Height)
	if !ok || int64(n) > plan.ShortTileBytes(t.Width, t.Height, t.Bands)/2 {
		return errDeclined
	}
	stored := newBuffer(n)
	defer stored.free()
	if err := readFull(obj, stored.b, off); err != nil {
		return err
	}
	file := newBuffer(0)
	defer file.free()
	if file.b, ok = standalone(file.b, stored.b, t); !ok {
		return errDeclined
	}
	if _, err := w.Write(file.b); err != nil {
		return newError(Internal, err.Error(), err)
	}
	return nil
}

// The JPEG markers (ISO 10918-1, table B.1) that matter here.
const (
	markerSOF0  = 0xc0
	markerSOF1  = 0xc1
	markerDHT   = 0xc4
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDQT   = 0xdb
	markerDRI   = 0xdd
	markerAPP0  = 0xe0
	markerAPP15 = 0xef
	markerCOM   = 0xfe
)

// What tells a reader the colour model: JFIF has gray and YCbCr, a marker of
// Adobe's with transform 0 says RGB.
const (
	jfifHead  = "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
	adobeHead = "\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
)

// standalone appends to out the file that shows what libtiff would decode of
// a stored tile: tables joined, markers of the tile's own replaced by one that
// says what the directory says. It is false where the tile is not plainly
// what the directory promises: then it must be decoded.
func standalone(out, tile []byte, t *header.Tiles) ([]byte, bool) {
	if t.Colour == plan.ColourRGB {
		out = append(out, adobeHead...)
	} else {
		out = append(out, jfifHead...)
	}
	if len(t.Tables) > 0 {
		var rest []byte
		var ok bool
		if out, rest, ok = segments(out, t.Tables, nil); !ok || len(rest) != 0 {
			return out, false
		}
	}
	out, scan, ok := segments(out, tile, t)
	if !ok {
		return out, false
	}
	scan = bytes.TrimRight(scan, "\x00") // padding
	if !oneScan(scan) {
		return out, false
	}
	return append(out, scan...), true
}

// describes tells that a marker segment says something about a picture that
// its decoder does not need.
func describes(marker byte) bool {
	return marker >= markerAPP0 && marker <= markerAPP15 || marker == markerCOM
}

// segments appends the marker segments of a stream up to its scan, which is
// the rest, or to its end. Those that describe rather than code are left out.
// The frame must be t's.
func segments(out, stream []byte, t *header.Tiles) (_, rest []byte, ok bool) {
	if len(stream) < 4 || stream[0] != 0xff || stream[1] != markerSOI {
		return out, nil, false
	}
	stream = stream[2:]
	framed := false
	for len(stream) >= 2 && stream[0] == 0xff {
		marker := stream[1]
		if marker == markerEOI {
			return out, nil, t == nil
		}
		n, whole := segmentLength(stream)
		if !whole {
			break
		}
		switch {
		case marker == markerSOS:
			return out, stream, framed
		case describes(marker):
		case marker == markerSOF0 || marker == markerSOF1:
			if framed || t == nil || !fitsFrame(stream[4:n], t) {
				return out, nil, false
			}
			framed = true
			out = append(out, stream[:n]...)
		case marker == markerDQT || marker == markerDHT || marker == markerDRI:
			if !wellFormed(marker, stream[4:n]) {
				return out, nil, false
			}
			out = append(out, stream[:n]...)
		default:
			return out, nil, false
		}
		stream = stream[n:]
	}
	return out, nil, false
}

// segmentLength is the length of the segment at the stream's beginning, its
// marker included; whole is false where the stream is shorter.
func segmentLength(stream []byte) (n int, whole bool) {
	if len(stream) < 4 {
		return 0, false
	}
	n = 2 + int(stream[2])<<8 + int(stream[3])
	return n, n >= 4 && n <= len(stream)
}

// wellFormed tells that a segment of tables is as long as its tables.
func wellFormed(marker byte, b []byte) bool {
	if marker == markerDRI {
		return len(b) == 2
	}
	for len(b) > 0 {
		n := 65
		switch {
		case marker == markerDQT && b[0] >= 0x10:
			n = 129
		case marker == markerDHT && len(b) < 17:
			return false
		case marker == markerDHT:
			n = 17
			for _, codes := range b[1:17] {
				n += int(codes)
			}
		}
		if n > len(b) || n > 17+256 {
			return false
		}
		b = b[n:]
	}
	return true
}

// fitsFrame compares a frame header with the directory.
func fitsFrame(b []byte, t *header.Tiles) bool {
	if len(b) != 6+3*t.Bands || b[0] != 8 || int(b[5]) != t.Bands ||
		int(b[1])<<8+int(b[2]) != t.Height || int(b[3])<<8+int(b[4]) != t.Width {
		return false
	}
	for i := range t.Bands {
		if sampling := b[7+3*i]; t.Colour != plan.ColourYCbCr && sampling != 0x11 && t.Bands > 1 {
			return false
		}
	}
	return true
}

// oneScan tells that b is one scan, and the end: no marker in between but
// for restarts.
func oneScan(b []byte) bool {
	end := len(b) - 2
	if end < 4 || b[end] != 0xff || b[end+1] != markerEOI {
		return false
	}
	at := 2
	for {
		i := bytes.IndexByte(b[at:end], 0xff)
		if i < 0 {
			return true
		}
		at += i + 1
		if next := b[at]; next != 0 && (next < markerRST0 || next > markerRST7) {
			return false
		}
	}
}
