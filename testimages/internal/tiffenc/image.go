package tiffenc

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

// Compression is the value of the Compression tag.
type Compression uint16

// The compressions this package writes.
const (
	None     Compression = 1
	LZW      Compression = 5
	Deflate  Compression = 8
	PackBits Compression = 32773
)

// Values of PhotometricInterpretation.
const (
	WhiteIsZero uint16 = 0
	BlackIsZero uint16 = 1
	RGB         uint16 = 2
	Palette     uint16 = 3
	Separated   uint16 = 5 // CMYK
	CIELab      uint16 = 8
)

// Values of SampleFormat.
const (
	Uint  uint16 = 1
	Int   uint16 = 2
	Float uint16 = 3
)

// UnassociatedAlpha is the value of ExtraSamples that is used.
const UnassociatedAlpha uint16 = 2

// Image is one directory: a page, or a level of one.
type Image struct {
	// Width and Height are in pixels.
	Width, Height int
	// Bits is the number of bits of each sample: 1, 8, 16 or 32.
	Bits int
	// Samples is the number of samples per pixel, extra samples included.
	Samples     int
	Format      uint16 // SampleFormat; 0 is Uint
	Photometric uint16
	// Data holds the samples, interleaved, row after row without padding but
	// for 1-bit rows, which are filled up to a byte; 16 and 32 bits are
	// little-endian here, whatever the file's order.
	Data []byte

	// Tile is the side of square tiles in pixels, a multiple of 16; 0 writes
	// strips of RowsPerStrip rows, or one strip if that is 0.
	Tile, RowsPerStrip int
	Planar             bool // each sample in a plane of its own
	Compression        Compression
	// Predictor stores the differences of neighbours in a row, for LZW and
	// Deflate of 8 bits.
	Predictor    bool
	ExtraSamples []uint16
	// ColorMap is 3 << Bits values: all reds, all greens, all blues.
	ColorMap []uint16
	// Reduced marks a smaller version of another directory (NewSubfileType
	// bit 0), Page one page of many (bit 1).
	Reduced, Page bool
	// Tags are further tags.
	Tags []Tag
	// SubIFDs are directories below this one.
	SubIFDs []Image
}

// Tag is a further tag of a directory: short values, or bytes of type
// UNDEFINED (7), or rationals of numerator and denominator.
type Tag struct {
	ID        uint16
	Shorts    []uint16
	Undefined []byte
	Rationals [][2]uint32
}

// samplesPerChunk tells how many samples of a pixel lie in one chunk, and
// how many planes of chunks there are.
func (m *Image) samplesPerChunk() (samples, planes int) {
	if m.Planar {
		return 1, m.Samples
	}
	return m.Samples, 1
}

// check tells what cannot be written.
func (m *Image) check() error {
	if got, want := len(m.Data), m.rowBytes()*m.Height; got != want {
		return fmt.Errorf("tiffenc: %d bytes of samples, want %d", got, want)
	}
	if m.Predictor && m.Bits != 8 {
		return fmt.Errorf("tiffenc: predictor for %d-bit samples", m.Bits)
	}
	if m.Bits < 8 && (m.Planar || m.Tile > 0) {
		return fmt.Errorf("tiffenc: %d-bit samples only in chunky strips", m.Bits)
	}
	return nil
}

// chunks returns the strips or tiles in the order of the offsets tag, with
// the samples in the given byte order, compressed.
func (m *Image) chunks(order binary.ByteOrder) ([][]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	w, h := m.Tile, m.Tile
	if m.Tile == 0 {
		w, h = m.Width, m.RowsPerStrip
	}
	_, planes := m.samplesPerChunk()
	var out [][]byte
	for plane := range planes {
		for y := 0; y < m.Height; y += h {
			for x := 0; x < m.Width; x += w {
				raw := m.chunk(plane, x, y, w, h)
				swap(raw, m.Bits, order)
				samples, _ := m.samplesPerChunk()
				if m.Predictor {
					predict(raw, w*samples, samples)
				}
				packed, err := compress(m.Compression, raw, len(raw)/m.chunkRows(y, h))
				if err != nil {
					return nil, err
				}
				out = append(out, packed)
			}
		}
	}
	return out, nil
}

func (m *Image) rowBytes() int { return (m.Width*m.Samples*m.Bits + 7) / 8 }

// chunkRows is the number of rows in the chunk at y: the last strip is short,
// the last tile is not.
func (m *Image) chunkRows(y, h int) int {
	if m.Tile == 0 {
		return min(h, m.Height-y)
	}
	return h
}

// chunk copies one strip or tile. Tiles that reach over the edge are filled
// with the last column and row.
func (m *Image) chunk(plane, x0, y0, w, h int) []byte {
	rows := m.chunkRows(y0, h)
	if m.Bits < 8 {
		return bytes.Clone(m.Data[y0*m.rowBytes() : (y0+rows)*m.rowBytes()])
	}
	size := m.Bits / 8
	samples, _ := m.samplesPerChunk()
	out := make([]byte, 0, rows*w*samples*size)
	for y := y0; y < y0+rows; y++ {
		row := m.Data[min(y, m.Height-1)*m.rowBytes():]
		for x := x0; x < x0+w; x++ {
			at := (min(x, m.Width-1)*m.Samples + plane) * size
			out = append(out, row[at:at+samples*size]...)
		}
	}
	return out
}

// swap turns little-endian samples into the wanted order.
func swap(data []byte, bits int, order binary.ByteOrder) {
	if order == binary.ByteOrder(binary.LittleEndian) || bits <= 8 {
		return
	}
	size := bits / 8
	for i := 0; i+size <= len(data); i += size {
		for a, b := i, i+size-1; a < b; a, b = a+1, b-1 {
			data[a], data[b] = data[b], data[a]
		}
	}
}

// predict replaces samples by what they differ from their left neighbour
// (TIFF 6.0, section 14).
func predict(data []byte, rowBytes, samples int) {
	for at := 0; at < len(data); at += rowBytes {
		for i := at + rowBytes - 1; i >= at+samples; i-- {
			data[i] -= data[i-samples]
		}
	}
}

func compress(c Compression, raw []byte, rowBytes int) ([]byte, error) {
	switch c {
	case None:
		return raw, nil
	case LZW:
		return appendLZW(nil, raw), nil
	case Deflate:
		var buf bytes.Buffer
		zw := zlib.NewWriter(&buf)
		if _, err := zw.Write(raw); err != nil {
			return nil, err
		}
		if err := zw.Close(); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	case PackBits:
		var out []byte
		for ; len(raw) > 0; raw = raw[rowBytes:] {
			out = appendPackBits(out, raw[:rowBytes]) // runs do not cross rows
		}
		return out, nil
	default:
		return nil, fmt.Errorf("tiffenc: compression %d not written", c)
	}
}

// appendPackBits packs one row (TIFF 6.0, section 9).
func appendPackBits(out, row []byte) []byte {
	for i := 0; i < len(row); {
		run := 1
		for i+run < len(row) && run < 128 && row[i+run] == row[i] {
			run++
		}
		if run >= 3 || i+run == len(row) && run > 1 {
			out = append(out, byte(1-run), row[i])
			i += run
			continue
		}
		start := i
		for i < len(row) && i-start < 128 {
			if i+2 < len(row) && row[i] == row[i+1] && row[i] == row[i+2] {
				break
			}
			i++
		}
		out = append(out, byte(i-start-1))
		out = append(out, row[start:i]...)
	}
	return out
}
