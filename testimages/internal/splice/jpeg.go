package splice

import (
	"encoding/binary"
	"errors"
	"io"
)

var errJPEG = errors.New("splice: JPEG is not a strip with a restart after each row")

// component is what the frame header says of one.
type component struct{ h, v int }

// JPEGRows repeats a strip downwards until it has the given height. The strip
// must have a restart interval of one row of blocks in every scan (cjpeg
// -restart 1), and a height that is a multiple of its MCUs'. Progressive
// strips give progressive files.
func JPEGRows(w io.Writer, strip []byte, height int) error {
	out := &errWriter{w: w}
	out.write(strip[:2])
	var frame map[byte]component
	maxV := 1
	for at := 2; at+2 <= len(strip); {
		marker := strip[at+1]
		if strip[at] != 0xff {
			return errJPEG
		}
		if marker == 0xd9 {
			out.write(strip[at : at+2])
			return out.err
		}
		if at+4 > len(strip) {
			return errJPEG
		}
		size := 2 + int(binary.BigEndian.Uint16(strip[at+2:]))
		segment := append([]byte{}, strip[at:at+size]...)
		if marker == 0xc0 || marker == 0xc2 {
			frame, maxV = components(segment)
			binary.BigEndian.PutUint16(segment[5:], uint16(height))
		}
		out.write(segment)
		at += size
		if marker != 0xda {
			continue
		}
		parts, end := intervals(strip, at)
		rows := scanRows(segment, frame, maxV, height)
		if rows == 0 || len(parts) < 2 {
			return errJPEG
		}
		for i := range rows {
			out.write(parts[i%len(parts)])
			if i < rows-1 {
				out.write([]byte{0xff, 0xd0 + byte(i%8)})
			}
		}
		at = end
	}
	return errJPEG
}

func components(sof []byte) (frame map[byte]component, maxV int) {
	frame = map[byte]component{}
	for i := range int(sof[9]) {
		c := sof[10+3*i:]
		frame[c[0]] = component{h: int(c[1] >> 4), v: int(c[1] & 15)}
		maxV = max(maxV, int(c[1]&15))
	}
	return frame, maxV
}

// scanRows is the number of rows of MCUs in a scan (T.81, A.2): of blocks of
// the one component, or of interleaved units.
func scanRows(sos []byte, frame map[byte]component, maxV, height int) int {
	if sos[4] > 1 {
		return (height + 8*maxV - 1) / (8 * maxV)
	}
	c, ok := frame[sos[5]]
	if !ok {
		return 0
	}
	lines := (height*c.v + maxV - 1) / maxV
	return (lines + 7) / 8
}

// intervals cuts entropy-coded data at its restart markers and finds its end.
func intervals(data []byte, at int) (parts [][]byte, end int) {
	start := at
	for ; at+1 < len(data); at++ {
		if data[at] != 0xff || data[at+1] == 0 {
			continue
		}
		parts = append(parts, data[start:at])
		if data[at+1] < 0xd0 || data[at+1] > 0xd7 {
			return parts, at
		}
		start = at + 2
		at++
	}
	return nil, len(data)
}

// errWriter keeps the first error.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) write(p []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(p)
	}
}
