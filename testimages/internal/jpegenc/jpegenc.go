// Package jpegenc writes baseline JPEG files of components that are not
// subsampled, for the four-component kinds that common tools do not write:
// Adobe CMYK and YCCK. It follows ITU-T T.81 with the example tables of its
// annex K; the Adobe segment is that of Technical Note 5116.
package jpegenc

import (
	"encoding/binary"
	"errors"
)

// Transform is the value of the Adobe segment's transform flag.
type Transform byte

// The transforms.
const (
	Unknown Transform = 0 // CMYK where there are four components
	YCCK    Transform = 2
)

// Encode writes width×height pixels of interleaved samples as they are, with
// the number of components that divides them, behind an Adobe segment. The
// scale multiplies the quantisation table of annex K in percent, at least 1.
func Encode(width, height int, samples []byte, transform Transform, scale int) ([]byte, error) {
	if width < 1 || height < 1 || len(samples)%(width*height) != 0 || scale < 1 {
		return nil, errors.New("jpegenc: samples do not fit the size")
	}
	n := len(samples) / (width * height)
	var quant [64]int
	for i, q := range luminance {
		quant[i] = min(max((int(q)*scale+50)/100, 1), 255)
	}
	w := &writer{buf: []byte{0xff, 0xd8}}
	w.segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), byte(transform)))
	dqt := []byte{0}
	for _, z := range zigzag {
		dqt = append(dqt, byte(quant[z]))
	}
	w.segment(0xdb, dqt)
	sof := []byte{8}
	sof = binary.BigEndian.AppendUint16(sof, uint16(height))
	sof = binary.BigEndian.AppendUint16(sof, uint16(width))
	sof = append(sof, byte(n))
	sos := []byte{byte(n)}
	for c := range n {
		sof = append(sof, byte(c+1), 0x11, 0)
		sos = append(sos, byte(c+1), 0)
	}
	w.segment(0xc0, sof)
	w.segment(0xc4, append(append([]byte{0x00}, dcCounts[:]...), dcValues[:]...))
	w.segment(0xc4, append(append([]byte{0x10}, acCounts[:]...), acValues[:]...))
	w.segment(0xda, append(sos, 0, 63, 0))

	w.dc, w.ac = codes(dcCounts, dcValues[:]), codes(acCounts, acValues[:])
	previous := make([]int, n)
	for y := 0; y < height; y += 8 {
		for x := 0; x < width; x += 8 {
			for c := range n {
				block := transformed(samples, width, height, n, c, x, y)
				previous[c] = w.block(block, quant, previous[c])
			}
		}
	}
	w.flush()
	return append(w.buf, 0xff, 0xd9), nil
}

// writer collects segments and entropy-coded bits.
type writer struct {
	buf    []byte
	bits   uint32
	held   uint
	dc, ac [256]code
}

func (w *writer) segment(marker byte, payload []byte) {
	w.buf = append(w.buf, 0xff, marker)
	w.buf = binary.BigEndian.AppendUint16(w.buf, uint16(len(payload)+2))
	w.buf = append(w.buf, payload...)
}

func (w *writer) emit(c code) {
	w.bits = w.bits<<c.length | uint32(c.bits)
	w.held += c.length
	for w.held >= 8 {
		b := byte(w.bits >> (w.held - 8))
		w.buf = append(w.buf, b)
		if b == 0xff {
			w.buf = append(w.buf, 0)
		}
		w.held -= 8
		w.bits &= 1<<w.held - 1
	}
}

// flush fills the last byte with ones.
func (w *writer) flush() {
	if w.held > 0 {
		w.emit(code{bits: 1<<(8-w.held) - 1, length: 8 - w.held})
	}
}

// block quantises and codes one block and returns its DC value.
func (w *writer) block(f [64]float64, quant [64]int, previous int) int {
	var q [64]int
	for i, z := range zigzag {
		q[i] = round(f[z] / float64(quant[z]))
	}
	size, extra := magnitude(q[0] - previous)
	w.emit(w.dc[size])
	w.emit(extra)
	zeros := 0
	for _, v := range q[1:] {
		if v == 0 {
			zeros++
			continue
		}
		for ; zeros > 15; zeros -= 16 {
			w.emit(w.ac[0xf0])
		}
		size, extra := magnitude(v)
		w.emit(w.ac[zeros<<4|size])
		w.emit(extra)
		zeros = 0
	}
	if zeros > 0 {
		w.emit(w.ac[0])
	}
	return q[0]
}

// magnitude splits a coefficient into its category and the bits that tell it
// within (T.81, F.1.2.1).
func magnitude(v int) (size int, extra code) {
	abs := max(v, -v)
	for abs>>size > 0 {
		size++
	}
	if v < 0 {
		v += 1<<size - 1
	}
	return size, code{bits: uint16(v), length: uint(size)}
}
