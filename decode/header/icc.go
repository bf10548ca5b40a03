package header

import (
	"encoding/binary"
	"math"
)

// describesSRGB tells whether an ICC profile is a matrix profile with the
// primaries and the tone curve of sRGB, or a gray profile with that curve:
// then there is nothing to convert. Names are not looked at, they lie. A
// damaged profile, or one whose tags lie beyond the span, does not count.
// Layout after ICC.1:2022, 7.2, 7.3, 10.6 and 10.18.
func describesSRGB(in *input, profile span) bool {
	head, err := in.within(profile, 0, 132)
	if err != nil || string(head[36:40]) != "acsp" {
		return false
	}
	space := string(head[16:20])
	tags := make(map[string]span, 8)
	for i := range min(int64(binary.BigEndian.Uint32(head[128:])), 64) {
		e, err := in.within(profile, 132+12*i, 12)
		if err != nil {
			return false
		}
		off, n := int64(binary.BigEndian.Uint32(e[4:])), int64(binary.BigEndian.Uint32(e[8:]))
		if off+n > profile.len {
			continue
		}
		tags[string(e[:4])] = profile.slice(off, n)
	}
	if _, lut := tags["A2B0"]; lut {
		return false
	}
	switch space {
	case "RGB ":
		for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
			if !isXYZ(in, tags[name], srgbPrimaries[i]) {
				return false
			}
		}
		return isSRGBCurve(in, tags["rTRC"]) && isSRGBCurve(in, tags["gTRC"]) && isSRGBCurve(in, tags["bTRC"])
	case "GRAY":
		return isSRGBCurve(in, tags["kTRC"])
	}
	return false
}

// srgbPrimaries are red, green and blue of IEC 61966-2-1 adapted to D50 by
// the Bradford transform.
var srgbPrimaries = [3][3]float64{
	{0.4360, 0.2225, 0.0139},
	{0.3851, 0.7169, 0.0971},
	{0.1431, 0.0606, 0.7141},
}

// curveTolerance and primaryTolerance keep the error of leaving the
// conversion out below half of an 8-bit step for most colours.
const (
	primaryTolerance = 0.0015
	curveTolerance   = 0.002
)

func isXYZ(in *input, tag span, want [3]float64) bool {
	b, err := in.within(tag, 0, 20)
	if err != nil || string(b[:4]) != "XYZ " {
		return false
	}
	for i, w := range want {
		if math.Abs(s15Fixed16(b[8+4*i:])-w) > primaryTolerance {
			return false
		}
	}
	return true
}

func s15Fixed16(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// isSRGBCurve compares a tone curve at 17 places with that of sRGB.
func isSRGBCurve(in *input, tag span) bool {
	kind, err := in.within(tag, 0, 12)
	if err != nil {
		return false
	}
	var curve func(x float64) (float64, bool)
	switch string(kind[:4]) {
	case "curv":
		curve = sampledCurve(in, tag, int64(binary.BigEndian.Uint32(kind[8:])))
	case "para":
		curve = parametricCurve(in, tag, binary.BigEndian.Uint16(kind[8:]))
	}
	if curve == nil {
		return false
	}
	for i := range 17 {
		x := float64(i) / 16
		y, ok := curve(x)
		if !ok || math.Abs(y-srgbToLinear(x)) > curveTolerance {
			return false
		}
	}
	return true
}

func srgbToLinear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// sampledCurve interpolates between the n entries of a curv tag. One entry is
// a plain gamma, which sRGB is not; none is the identity.
func sampledCurve(in *input, tag span, n int64) func(float64) (float64, bool) {
	if n < 16 {
		return nil
	}
	return func(x float64) (float64, bool) {
		pos := x * float64(n-1)
		i := min(int64(pos), n-2)
		b, err := in.within(tag, 12+2*i, 4)
		if err != nil {
			return 0, false
		}
		lo, hi := float64(binary.BigEndian.Uint16(b)), float64(binary.BigEndian.Uint16(b[2:]))
		return (lo + (hi-lo)*(pos-float64(i))) / 65535, true
	}
}

// parametricCurve evaluates types 3 and 4 of a para tag, the ones that have a
// linear part.
func parametricCurve(in *input, tag span, kind uint16) func(float64) (float64, bool) {
	n := map[uint16]int{3: 5, 4: 7}[kind]
	b, err := in.within(tag, 12, 4*n)
	if n == 0 || err != nil {
		return nil
	}
	var p [7]float64
	for i := range n {
		p[i] = s15Fixed16(b[4*i:])
	}
	gamma, a, bb, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	return func(x float64) (float64, bool) {
		if x >= d {
			return math.Pow(a*x+bb, gamma) + e, true
		}
		return c*x + f, true
	}
}

// slice is the n bytes at off of a span; the caller has checked that they lie
// inside.
func (s span) slice(off, n int64) span {
	t := s.after(off)
	t.len = n
	if t.mem != nil {
		t.mem = t.mem[:n]
	}
	return t
}
