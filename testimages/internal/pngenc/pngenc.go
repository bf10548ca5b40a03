// Package pngenc writes PNG files of the kinds the standard library's encoder
// does not: gray with alpha, gray of less than 8 bits, interlaced, and with a
// colour profile. It follows the W3C specification, second edition.
package pngenc

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Image is what Encode writes.
type Image struct {
	Width, Height int
	Bits          int // per sample: 1, 8 or 16
	// Samples per pixel: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
	Samples int
	// Data has one value per sample, interleaved, row after row.
	Data []uint16
	// Interlaced writes the seven passes of Adam7.
	Interlaced bool
	// Profile is an ICC profile, or nil.
	Profile []byte
}

var colourTypes = map[int]byte{1: 0, 2: 4, 3: 2, 4: 6}

// pass is where a pass begins and how far apart its pixels lie.
type pass struct{ x, y, dx, dy int }

var (
	whole = []pass{{0, 0, 1, 1}}
	adam7 = []pass{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
)

// Encode returns the file.
func Encode(m Image) ([]byte, error) {
	if len(m.Data) != m.Width*m.Height*m.Samples {
		return nil, fmt.Errorf("pngenc: %d samples, want %d", len(m.Data), m.Width*m.Height*m.Samples)
	}
	out := []byte("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(m.Width))
	header = binary.BigEndian.AppendUint32(header, uint32(m.Height))
	header = append(header, byte(m.Bits), colourTypes[m.Samples], 0, 0, 0)
	passes := whole
	if m.Interlaced {
		passes = adam7
		header[12] = 1
	}
	out = chunk(out, "IHDR", header)
	if m.Profile != nil {
		packed, err := deflate(m.Profile)
		if err != nil {
			return nil, err
		}
		out = chunk(out, "iCCP", append([]byte("profile\x00\x00"), packed...))
	}
	var raw []byte
	for _, p := range passes {
		raw = m.appendPass(raw, p)
	}
	packed, err := deflate(raw)
	if err != nil {
		return nil, err
	}
	return chunk(chunk(out, "IDAT", packed), "IEND", nil), nil
}

// appendPass filters each row by its difference to the pixel on the left
// (filter 1), rows of less than 8 bits not at all.
func (m Image) appendPass(out []byte, p pass) []byte {
	if p.x >= m.Width {
		return out // a pass without pixels has no rows either
	}
	for y := p.y; y < m.Height; y += p.dy {
		row := m.row(y, p)
		if m.Bits < 8 {
			out = append(append(out, 0), row...)
			continue
		}
		out = append(out, 1)
		back := m.Samples * m.Bits / 8
		for i, v := range row {
			if i >= back {
				v -= row[i-back]
			}
			out = append(out, v)
		}
	}
	return out
}

func (m Image) row(y int, p pass) []byte {
	var row []byte
	held := 0
	for x := p.x; x < m.Width; x += p.dx {
		for _, v := range m.Data[(y*m.Width+x)*m.Samples:][:m.Samples] {
			switch m.Bits {
			case 16:
				row = binary.BigEndian.AppendUint16(row, v)
			case 8:
				row = append(row, byte(v))
			default:
				if held%8 == 0 {
					row = append(row, 0)
				}
				row[len(row)-1] |= byte(v) << (8 - m.Bits - held%8)
				held += m.Bits
			}
		}
	}
	return row
}

func chunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	start := len(out)
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}

func deflate(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := zlib.NewWriterLevel(&buf, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// WithSize returns a file that Encode wrote with another size in its header,
// which the data then belies.
func WithSize(file []byte, width, height int) []byte {
	header := bytes.Clone(file[16:29])
	binary.BigEndian.PutUint32(header, uint32(width))
	binary.BigEndian.PutUint32(header[4:], uint32(height))
	return append(chunk(bytes.Clone(file[:8]), "IHDR", header), file[33:]...)
}
