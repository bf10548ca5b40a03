package splice

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"io"
)

// PNG writes RGB of 8 bits in which the given rows, width×3 bytes each,
// repeat downwards until the height is reached. The rows are compressed once:
// a flushed block can be repeated, as it refers to nothing before it.
func PNG(w io.Writer, width, height int, rows []byte) error {
	period := len(rows) / (width * 3)
	raw := filtered(rows, width*3)
	block, err := flushed(raw)
	if err != nil {
		return err
	}
	rest := raw[:height%period*(width*3+1)]
	last, err := flushed(rest)
	if err != nil {
		return err
	}
	out := &errWriter{w: w}
	out.write([]byte("\x89PNG\r\n\x1a\n"))
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	pngChunk(out, "IHDR", append(header, 8, 2, 0, 0, 0))
	sum := adler32.New()
	pngChunk(out, "IDAT", []byte{0x78, 0x9c})
	for range height / period {
		sum.Write(raw)
		pngChunk(out, "IDAT", block)
	}
	sum.Write(rest)
	pngChunk(out, "IDAT", last)
	// The final block is empty and stored.
	pngChunk(out, "IDAT", sum.Sum([]byte{1, 0, 0, 0xff, 0xff}))
	pngChunk(out, "IEND", nil)
	return out.err
}

// filtered puts filter 1 (Sub) before the first row, which may follow
// another last row than its own, and filter 2 (Up) before the others.
func filtered(rows []byte, stride int) []byte {
	out := make([]byte, 0, len(rows)/stride*(stride+1))
	for at := 0; at < len(rows); at += stride {
		back, filter := stride, byte(2)
		if at == 0 {
			back, filter = 3, 1
		}
		out = append(out, filter)
		for i := at; i < at+stride; i++ {
			v := rows[i]
			if i >= back {
				v -= rows[i-back]
			}
			out = append(out, v)
		}
	}
	return out
}

// flushed deflates data and ends at a byte's border, without a final block.
func flushed(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func pngChunk(out *errWriter, name string, data []byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	head = append(head, name...)
	out.write(head)
	out.write(data)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	out.write(binary.BigEndian.AppendUint32(nil, sum))
}
