package exif

import (
	"bytes"
	"math"
)

// decode reads the elements of a value.
func (r *reader) decode(kind uint16, data []byte) (v Value) {
	step := int(kindSizes[kind])
	switch kind {
	case 2:
		text, _, _ := bytes.Cut(data, []byte{0})
		v.Text = string(text)
		return v
	case 7:
		v.Text = string(data)
		return v
	}
	for ; len(data) >= step; data = data[step:] {
		switch kind {
		case 1:
			v.Integers = append(v.Integers, int64(data[0]))
		case 6:
			v.Integers = append(v.Integers, int64(int8(data[0])))
		case 3:
			v.Integers = append(v.Integers, int64(r.order.Uint16(data)))
		case 8:
			v.Integers = append(v.Integers, int64(int16(r.order.Uint16(data))))
		case 4, 13:
			v.Integers = append(v.Integers, int64(r.order.Uint32(data)))
		case 9:
			v.Integers = append(v.Integers, int64(int32(r.order.Uint32(data))))
		case 5:
			v.Rationals = append(v.Rationals, Rational{int64(r.order.Uint32(data)), int64(r.order.Uint32(data[4:]))})
		case 10:
			v.Rationals = append(v.Rationals, Rational{int64(int32(r.order.Uint32(data))), int64(int32(r.order.Uint32(data[4:])))})
		case 11:
			v.Floats = append(v.Floats, float64(math.Float32frombits(r.order.Uint32(data))))
		case 12:
			v.Floats = append(v.Floats, math.Float64frombits(r.order.Uint64(data)))
		}
	}
	return v
}
