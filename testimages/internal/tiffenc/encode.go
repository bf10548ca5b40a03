package tiffenc

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Options are what holds for the whole file.
type Options struct {
	// BigEndian writes "MM", otherwise "II".
	BigEndian bool
	// Big writes BigTIFF with offsets of 64 bits.
	Big bool
}

// Encode returns a file with one directory per image in the main chain.
func Encode(opt Options, images ...Image) ([]byte, error) {
	if len(images) == 0 {
		return nil, errors.New("tiffenc: no image")
	}
	e := &encoder{big: opt.Big, order: binary.LittleEndian}
	mark := "II"
	if opt.BigEndian {
		e.order, mark = binary.BigEndian, "MM"
	}
	e.buf = append(e.buf, mark...)
	if opt.Big {
		e.short(43)
		e.short(8)
		e.short(0)
	} else {
		e.short(42)
	}
	next := len(e.buf)
	e.offset(0)
	for i := range images {
		at, end, err := e.directory(&images[i])
		if err != nil {
			return nil, err
		}
		e.patch(next, at)
		next = end
	}
	return e.buf, nil
}

// byteOrder is both ways of using an order; the standard library's two
// orders have them.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

type encoder struct {
	buf   []byte
	order byteOrder
	big   bool
	// base is where in the file buf begins.
	base int
}

func (e *encoder) short(v uint16) { e.buf = e.order.AppendUint16(e.buf, v) }

func (e *encoder) offset(v int) {
	if e.big {
		e.buf = e.order.AppendUint64(e.buf, uint64(v))
	} else {
		e.buf = e.order.AppendUint32(e.buf, uint32(v))
	}
}

func (e *encoder) patch(at, v int) {
	if e.big {
		e.order.PutUint64(e.buf[at:], uint64(v))
	} else {
		e.order.PutUint32(e.buf[at:], uint32(v))
	}
}

func (e *encoder) offsetSize() int {
	if e.big {
		return 8
	}
	return 4
}

// align starts values at even offsets, as TIFF 6.0 asks; BigTIFF at 8.
func (e *encoder) align() {
	for len(e.buf)%e.offsetSize() != 0 {
		e.buf = append(e.buf, 0)
	}
}

// directory writes an image's chunks, its SubIFDs and then the directory.
// It returns the directory's offset and that of its link to the next one.
func (e *encoder) directory(m *Image) (at, next int, err error) {
	full := *m
	if full.Tile == 0 && full.RowsPerStrip == 0 {
		full.RowsPerStrip = full.Height
	}
	chunks, err := full.chunks(e.order)
	if err != nil {
		return 0, 0, err
	}
	var offsets, counts, subs []int
	for _, c := range chunks {
		e.align()
		offsets, counts = append(offsets, len(e.buf)), append(counts, len(c))
		e.buf = append(e.buf, c...)
	}
	for i := range full.SubIFDs {
		sub, _, err := e.directory(&full.SubIFDs[i])
		if err != nil {
			return 0, 0, err
		}
		subs = append(subs, sub)
	}
	fields := e.fields(&full, offsets, counts, subs)
	for i := range fields {
		e.place(&fields[i])
	}
	e.align()
	at = len(e.buf)
	return at, e.entries(fields), nil
}

// entries writes a directory and a link to no next one, whose offset it
// returns.
func (e *encoder) entries(fields []field) (next int) {
	if e.big {
		e.buf = e.order.AppendUint64(e.buf, uint64(len(fields)))
	} else {
		e.short(uint16(len(fields)))
	}
	for _, f := range fields {
		e.short(f.id)
		e.short(f.kind)
		e.offset(f.count)
		e.buf = append(e.buf, f.value...)
	}
	next = len(e.buf)
	e.offset(0)
	return next
}

// The field types this package writes (TIFF 6.0, section 2; BigTIFF).
const (
	typeShort     = 3
	typeLong      = 4
	typeRational  = 5
	typeUndefined = 7
	typeIFD       = 13
	typeLong8     = 16
	typeIFD8      = 18
)

type field struct {
	id, kind uint16
	count    int
	value    []byte
}

// place moves a value that does not fit into the entry out of the directory,
// and fills up one that does.
func (e *encoder) place(f *field) {
	if len(f.value) > e.offsetSize() {
		e.align()
		at := e.base + len(e.buf)
		e.buf = append(e.buf, f.value...)
		f.value = f.value[:e.offsetSize():e.offsetSize()]
		if e.big {
			e.order.PutUint64(f.value, uint64(at))
		} else {
			e.order.PutUint32(f.value, uint32(at))
		}
	}
	for len(f.value) < e.offsetSize() {
		f.value = append(f.value, 0)
	}
}

func (e *encoder) fields(m *Image, offsets, counts, subs []int) []field {
	var fs []field
	shorts := func(id uint16, v ...uint16) { fs = append(fs, e.shorts(id, v)) }
	longs := func(id uint16, v ...int) { fs = append(fs, e.longs(id, typeLong, typeLong8, v)) }
	var subfile int
	if m.Reduced {
		subfile |= 1
	}
	if m.Page {
		subfile |= 2
	}
	if subfile != 0 {
		fs = append(fs, e.longs(254, typeLong, typeLong, []int{subfile}))
	}
	fs = append(fs, e.longs(256, typeLong, typeLong, []int{m.Width}), e.longs(257, typeLong, typeLong, []int{m.Height}))
	shorts(258, slices.Repeat([]uint16{uint16(m.Bits)}, m.Samples)...)
	shorts(259, uint16(m.Compression))
	shorts(262, m.Photometric)
	shorts(277, uint16(m.Samples))
	if m.Tile > 0 {
		shorts(322, uint16(m.Tile))
		shorts(323, uint16(m.Tile))
		longs(324, offsets...)
		longs(325, counts...)
	} else {
		longs(273, offsets...)
		fs = append(fs, e.longs(278, typeLong, typeLong, []int{m.RowsPerStrip}))
		longs(279, counts...)
	}
	planar := uint16(1)
	if m.Planar {
		planar = 2
	}
	shorts(284, planar)
	if m.Predictor {
		shorts(317, 2)
	}
	if m.ColorMap != nil {
		shorts(320, m.ColorMap...)
	}
	if len(subs) > 0 {
		fs = append(fs, e.longs(330, typeIFD, typeIFD8, subs))
	}
	if m.ExtraSamples != nil {
		shorts(338, m.ExtraSamples...)
	}
	if m.Format > Uint {
		shorts(339, slices.Repeat([]uint16{m.Format}, m.Samples)...)
	}
	for _, t := range m.Tags {
		fs = append(fs, e.tag(t))
	}
	slices.SortFunc(fs, func(a, b field) int { return int(a.id) - int(b.id) })
	return fs
}

func (e *encoder) shorts(id uint16, v []uint16) field {
	f := field{id: id, kind: typeShort, count: len(v)}
	for _, s := range v {
		f.value = e.order.AppendUint16(f.value, s)
	}
	return f
}

// longs makes a field of 32-bit values, or of 64-bit ones where the file is a
// BigTIFF and the field's wide kind differs.
func (e *encoder) longs(id, kind, wide uint16, v []int) field {
	f := field{id: id, kind: kind, count: len(v)}
	if e.big {
		f.kind = wide
	}
	for _, n := range v {
		if f.kind == typeLong || f.kind == typeIFD {
			f.value = e.order.AppendUint32(f.value, uint32(n))
		} else {
			f.value = e.order.AppendUint64(f.value, uint64(n))
		}
	}
	return f
}

func (e *encoder) tag(t Tag) field {
	switch {
	case t.Undefined != nil:
		return field{id: t.ID, kind: typeUndefined, count: len(t.Undefined), value: slices.Clone(t.Undefined)}
	case t.Rationals != nil:
		f := field{id: t.ID, kind: typeRational, count: len(t.Rationals)}
		for _, r := range t.Rationals {
			f.value = e.order.AppendUint32(e.order.AppendUint32(f.value, r[0]), r[1])
		}
		return f
	default:
		return e.shorts(t.ID, t.Shorts)
	}
}
