package header

import (
	"encoding/binary"
)

// The field types of TIFF 6.0, section 2, and BigTIFF.
const (
	typeByte      = 1
	typeShort     = 3
	typeLong      = 4
	typeSByte     = 6
	typeUndefined = 7
	typeSShort    = 8
	typeSLong     = 9
	typeIFD       = 13
	typeLong8     = 16
	typeIFD8      = 18
)

// typeSize is the length in bytes of a value of each type; 0 is no type.
var typeSize = [19]int64{
	1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8,
	13: 4, 16: 8, 17: 8, 18: 8,
}

const (
	// maxEntries is libtiff's own limit on a directory's length
	// (tif_dirread.c, TIFFFetchDirectory).
	maxEntries = 4096
	// maxDirectories bounds the pages counted in one file.
	maxDirectories = 4096
	// maxSubIFDs bounds the directories below one page; a pyramid of
	// 10,000,000 pixels has 24 levels.
	maxSubIFDs = 64
)

// ifdReader reads directories of one TIFF file, classic or big.
type ifdReader struct {
	in    *input
	order binary.ByteOrder
	big   bool
}

// entry is one field of a directory.
type entry struct {
	typ   uint16
	count int64
	// off is where the values lie, inside the entry or elsewhere.
	off int64
}

func newIFDReader(in *input) (ifdReader, int64, error) {
	h, err := in.at(0, 8)
	if err != nil {
		return ifdReader{}, 0, err
	}
	r := ifdReader{in: in, order: binary.LittleEndian}
	if h[0] == 'M' {
		r.order = binary.BigEndian
	}
	if r.order.Uint16(h[2:]) != 43 {
		return r, int64(r.order.Uint32(h[4:])), nil
	}
	r.big = true
	if r.order.Uint16(h[4:]) != 8 || r.order.Uint16(h[6:]) != 0 {
		return r, 0, in.corrupt("a BigTIFF with other than 8-byte offsets")
	}
	if h, err = in.at(8, 8); err != nil {
		return r, 0, err
	}
	return r, offset(r.order.Uint64(h)), nil
}

// offset turns a stored 64-bit offset into one that fails every bounds check
// if it does not fit.
func offset(v uint64) int64 {
	if v > 1<<62 {
		return -1
	}
	return int64(v)
}

// directory reads the directory at off and returns the offset of the next.
func (r ifdReader) directory(off int64) (directory, int64, error) {
	var d directory
	d.off = off
	count, head, size := int64(0), int64(2), int64(12)
	if r.big {
		head, size = 8, 20
	}
	b, err := r.in.at(off, int(head))
	if err != nil {
		return d, 0, err
	}
	if r.big {
		count = offset(r.order.Uint64(b))
	} else {
		count = int64(r.order.Uint16(b))
	}
	if count < 1 || count > maxEntries {
		return d, 0, r.in.corrupt("a directory of %d entries", count)
	}
	for i := range count {
		at := off + head + i*size
		b, err := r.in.at(at, int(size))
		if err != nil {
			return d, 0, err
		}
		tag, e := r.entry(b, at)
		d.set(tag, e)
	}
	next, err := r.next(off + head + count*size)
	return d, next, err
}

func (r ifdReader) entry(b []byte, at int64) (uint16, entry) {
	e := entry{typ: r.order.Uint16(b[2:])}
	inline, where := int64(4), at+8
	if r.big {
		inline, where = 8, at+12
		e.count = offset(r.order.Uint64(b[4:]))
	} else {
		e.count = int64(r.order.Uint32(b[4:]))
	}
	if int(e.typ) >= len(typeSize) || typeSize[e.typ] == 0 || e.count < 0 || e.count > r.in.size {
		return r.order.Uint16(b), entry{}
	}
	e.off = where
	if e.count*typeSize[e.typ] > inline {
		if r.big {
			e.off = offset(r.order.Uint64(b[12:]))
		} else {
			e.off = int64(r.order.Uint32(b[8:]))
		}
	}
	return r.order.Uint16(b), e
}

// next reads the offset of the following directory; libtiff takes a file that
// ends there for the end of the chain.
func (r ifdReader) next(at int64) (int64, error) {
	n := 4
	if r.big {
		n = 8
	}
	b, err := r.in.at(at, n)
	if err != nil {
		if isCorrupt(err) {
			return 0, nil
		}
		return 0, err
	}
	if r.big {
		return offset(r.order.Uint64(b)), nil
	}
	return int64(r.order.Uint32(b)), nil
}

// value reads the i-th value of an entry that holds whole numbers; ok is
// false where there is none.
func (r ifdReader) value(e entry, i int64) (v int64, ok bool, err error) {
	if i >= e.count {
		return 0, false, nil
	}
	n := typeSize[e.typ]
	b, err := r.in.at(e.off+i*n, int(n))
	if err != nil {
		return 0, false, err
	}
	switch e.typ {
	case typeByte, typeUndefined:
		return int64(b[0]), true, nil
	case typeShort:
		return int64(r.order.Uint16(b)), true, nil
	case typeLong, typeIFD:
		return int64(r.order.Uint32(b)), true, nil
	case typeLong8, typeIFD8:
		v := offset(r.order.Uint64(b))
		return v, v >= 0, nil
	}
	return 0, false, nil
}
