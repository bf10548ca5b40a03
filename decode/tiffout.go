package decode

// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"math"

	"github.com/davidbyttow/govips/v2/vips"
)

// stripBytes is about how much one strip of TIFF output holds.
const stripBytes = 64 << 10

// saveTIFF writes an uncompressed TIFF. libtiff must seek back in what it
// writes; without compression every offset is known beforehand, so the
// header goes first and the rows follow as they are made.
func saveTIFF(j *job, _ encoder) error {
	h := tiffHeader{
		width: j.pic.Width(), height: j.pic.Height(), bands: j.pic.Bands(), bits: 8, alpha: j.pic.HasAlpha(),
	}
	if j.pic.BandFormat() == vips.BandFormatUshort {
		h.bits = 16
	}
	if j.plan.Encoder.Profile {
		h.profile = j.pic.GetICCProfile()
	}
	if n := j.out.write(h.bytes()); n < 0 {
		return j.out.failure()
	}
	return j.toTarget(j.out, func(t *C.VipsTarget) C.int { return C.iiifd_save_rows(j.image(), t) })
}

// tiffHeader is what stands before the pixels.
type tiffHeader struct {
	width, height, bands, bits int
	alpha                      bool
	profile                    []byte
}

// tiffField is an entry of the directory. Values of more than an entry
// holds are put behind the directory.
type tiffField struct {
	tag, kind uint16
	values    []uint64
	raw       []byte
}

// TIFF field types (TIFF 6.0, section 2; BigTIFF adds the last).
const (
	tiffShort     = 3
	tiffLong      = 4
	tiffUndefined = 7
	tiffLong8     = 16
)

// bytes returns header, directory and the values behind it; the pixels
// start right after.
func (h tiffHeader) bytes() []byte {
	small := h.layout(false)
	if size := uint64(len(small)) + h.pixels(); size <= math.MaxUint32 {
		return small
	}
	return h.layout(true)
}

// pixels is the size of all rows in bytes.
func (h tiffHeader) pixels() uint64 {
	return uint64(h.width) * uint64(h.height) * uint64(h.bands) * uint64(h.bits/8)
}

// layout lays the header out twice: the offsets of the strips depend on the
// header's length, which does not depend on them.
func (h tiffHeader) layout(big bool) []byte {
	first := h.encode(big, 0)
	return h.encode(big, uint64(len(first)))
}

// encode writes the header for pixels that start at offset.
func (h tiffHeader) encode(big bool, offset uint64) []byte {
	w := tiffWriter{order: binary.NativeEndian, big: big}
	w.start()
	for _, f := range h.fields(big, offset) {
		w.field(f)
	}
	return w.finish()
}

// fields returns the directory, sorted by tag.
func (h tiffHeader) fields(big bool, offset uint64) []tiffField {
	offsetKind := uint16(tiffLong)
	if big {
		offsetKind = tiffLong8
	}
	row := uint64(h.width) * uint64(h.bands) * uint64(h.bits/8)
	rows := max(1, stripBytes/row)
	var offsets, counts []uint64
	for y := uint64(0); y < uint64(h.height); y += rows {
		n := min(rows, uint64(h.height)-y) * row
		offsets, counts = append(offsets, offset), append(counts, n)
		offset += n
	}
	bits := make([]uint64, h.bands)
	for i := range bits {
		bits[i] = uint64(h.bits)
	}
	photometric := uint64(1) // black is zero
	if h.bands >= 3 {
		photometric = 2 // RGB
	}
	fields := []tiffField{
		{tag: 256, kind: tiffLong, values: []uint64{uint64(h.width)}},
		{tag: 257, kind: tiffLong, values: []uint64{uint64(h.height)}},
		{tag: 258, kind: tiffShort, values: bits},
		{tag: 259, kind: tiffShort, values: []uint64{1}}, // no compression
		{tag: 262, kind: tiffShort, values: []uint64{photometric}},
		{tag: 273, kind: offsetKind, values: offsets},
		{tag: 274, kind: tiffShort, values: []uint64{1}}, // upright
		{tag: 277, kind: tiffShort, values: []uint64{uint64(h.bands)}},
		{tag: 278, kind: tiffLong, values: []uint64{rows}},
		{tag: 279, kind: offsetKind, values: counts},
		{tag: 284, kind: tiffShort, values: []uint64{1}}, // samples of a pixel together
	}
	if h.alpha {
		fields = append(fields, tiffField{tag: 338, kind: tiffShort, values: []uint64{2}}) // unassociated alpha
	}
	if len(h.profile) > 0 {
		fields = append(fields, tiffField{tag: 34675, kind: tiffUndefined, raw: h.profile})
	}
	return fields
}

// tiffWriter collects a header in the machine's byte order.
type tiffWriter struct {
	order   nativeOrder
	big     bool
	entries [][]byte
	values  [][]byte
	head    []byte
}

// nativeOrder is what binary.NativeEndian offers.
type nativeOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// start writes the file's first bytes.
func (w *tiffWriter) start() {
	mark := "II"
	if w.order.Uint16([]byte{1, 0}) != 1 {
		mark = "MM"
	}
	w.head = []byte(mark)
	if w.big {
		w.head = w.order.AppendUint16(w.head, 43)
		w.head = w.order.AppendUint16(w.head, 8)
		w.head = w.order.AppendUint16(w.head, 0)
		w.head = w.order.AppendUint64(w.head, 16)
		return
	}
	w.head = w.order.AppendUint16(w.head, 42)
	w.head = w.order.AppendUint32(w.head, 8)
}

// field adds an entry; its value's place is filled in by finish.
func (w *tiffWriter) field(f tiffField) {
	value, count := f.raw, len(f.raw)
	if f.raw == nil {
		count = len(f.values)
		for _, v := range f.values {
			switch f.kind {
			case tiffShort:
				value = w.order.AppendUint16(value, uint16(v))
			case tiffLong:
				value = w.order.AppendUint32(value, uint32(v))
			default:
				value = w.order.AppendUint64(value, v)
			}
		}
	}
	var entry []byte
	entry = w.order.AppendUint16(entry, f.tag)
	entry = w.order.AppendUint16(entry, f.kind)
	if w.big {
		entry = w.order.AppendUint64(entry, uint64(count))
	} else {
		entry = w.order.AppendUint32(entry, uint32(count))
	}
	w.entries, w.values = append(w.entries, entry), append(w.values, value)
}

// finish joins header, directory and values.
func (w *tiffWriter) finish() []byte {
	inline, entrySize, countSize := 4, 12, 2
	if w.big {
		inline, entrySize, countSize = 8, 20, 8
	}
	next := len(w.head) + countSize + len(w.entries)*entrySize + inline
	out := w.head
	if w.big {
		out = w.order.AppendUint64(out, uint64(len(w.entries)))
	} else {
		out = w.order.AppendUint16(out, uint16(len(w.entries)))
	}
	var tail []byte
	for i, entry := range w.entries {
		out = append(out, entry...)
		value := w.values[i]
		if len(value) <= inline {
			out = append(out, append(value, make([]byte, inline-len(value))...)...)
			continue
		}
		if w.big {
			out = w.order.AppendUint64(out, uint64(next+len(tail)))
		} else {
			out = w.order.AppendUint32(out, uint32(next+len(tail)))
		}
		tail = append(tail, value...)
		if len(tail)%2 == 1 {
			tail = append(tail, 0)
		}
	}
	out = append(out, make([]byte, inline)...) // no further directory
	return append(out, tail...)
}
