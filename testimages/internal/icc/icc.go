// Package icc writes small version 2 ICC profiles of matrix and gray kind
// (ICC.1:2001-04) and converts sRGB samples to their spaces.
package icc

import (
	"encoding/binary"
	"math"
)

// Space is an RGB space with white D65 and a plain gamma.
type Space struct {
	Name  string
	Gamma float64
	// Red, Green and Blue are the primaries' chromaticities x, y.
	Red, Green, Blue [2]float64
}

// Wide has the primaries of ITU-R BT.2020: all of sRGB lies well inside, so
// that samples read without the profile look clearly pale.
var Wide = Space{
	Name: "BT.2020 primaries, gamma 2.2", Gamma: 2.2,
	Red: [2]float64{0.708, 0.292}, Green: [2]float64{0.170, 0.797}, Blue: [2]float64{0.131, 0.046},
}

var srgb = Space{Red: [2]float64{0.64, 0.33}, Green: [2]float64{0.30, 0.60}, Blue: [2]float64{0.15, 0.06}}

type (
	vector [3]float64
	matrix [3]vector // rows
)

var (
	d65 = vector{0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290}
	d50 = vector{0.9642, 1, 0.8249}
	// bradford turns XYZ into cone responses.
	bradford = matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
)

// toXYZ is the matrix from linear samples to XYZ under D65.
func (s Space) toXYZ() matrix {
	var m matrix
	for i, p := range [][2]float64{s.Red, s.Green, s.Blue} {
		m[0][i], m[1][i], m[2][i] = p[0]/p[1], 1, (1-p[0]-p[1])/p[1]
	}
	scale := m.inverse().apply(d65)
	for r := range m {
		for c := range m[r] {
			m[r][c] *= scale[c]
		}
	}
	return m
}

// FromSRGB returns a function that converts an sRGB colour of 8 bits.
func (s Space) FromSRGB() func(r, g, b uint8) (uint8, uint8, uint8) {
	m := s.toXYZ().inverse().times(srgb.toXYZ())
	return func(r, g, b uint8) (uint8, uint8, uint8) {
		v := m.apply(vector{Linear(r), Linear(g), Linear(b)})
		for i := range v {
			v[i] = math.Round(255 * math.Pow(min(max(v[i], 0), 1), 1/s.Gamma))
		}
		return uint8(v[0]), uint8(v[1]), uint8(v[2])
	}
}

// Linear undoes the sRGB curve (IEC 61966-2-1) of a sample of 8 bits.
func Linear(v uint8) float64 {
	f := float64(v) / 255
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}

// Profile returns the space's profile.
func (s Space) Profile() []byte {
	return rgbProfile(s.Name, s.toXYZ(), gammaCurve(s.Gamma))
}

// SRGB returns a profile of sRGB: its primaries, and its curve as a table.
func SRGB() []byte { return rgbProfile("sRGB IEC61966-2.1", srgb.toXYZ(), srgbCurve()) }

// Gray returns a profile of gray with the curve of sRGB.
func Gray() []byte {
	return profile("GRAY", []tag{{"desc", description("Gray with the sRGB curve")}, {"cprt", text("CC0")}, {"wtpt", xyz(d50)}, {"kTRC", srgbCurve()}})
}

func rgbProfile(name string, toXYZ matrix, curve []byte) []byte {
	cones := bradford.apply(d65)
	target := bradford.apply(d50)
	adapt := bradford
	for r := range adapt {
		for c := range adapt[r] {
			adapt[r][c] *= target[r] / cones[r]
		}
	}
	m := bradford.inverse().times(adapt).times(toXYZ)
	tags := []tag{{"desc", description(name)}, {"cprt", text("CC0")}, {"wtpt", xyz(d65)}}
	for i, colour := range []string{"r", "g", "b"} {
		tags = append(tags, tag{colour + "XYZ", xyz(vector{m[0][i], m[1][i], m[2][i]})}, tag{colour + "TRC", curve})
	}
	return profile("RGB ", tags)
}

func (m matrix) apply(v vector) (out vector) {
	for r := range m {
		out[r] = m[r][0]*v[0] + m[r][1]*v[1] + m[r][2]*v[2]
	}
	return out
}

func (m matrix) times(n matrix) (out matrix) {
	for r := range out {
		for c := range out[r] {
			out[r][c] = m[r][0]*n[0][c] + m[r][1]*n[1][c] + m[r][2]*n[2][c]
		}
	}
	return out
}

func (m matrix) inverse() (out matrix) {
	var det float64
	for i := range 3 {
		a, b := (i+1)%3, (i+2)%3
		for j := range 3 {
			c, d := (j+1)%3, (j+2)%3
			out[j][i] = m[a][c]*m[b][d] - m[a][d]*m[b][c]
		}
		det += m[i][0] * out[0][i]
	}
	for r := range out {
		for c := range out[r] {
			out[r][c] /= det
		}
	}
	return out
}

func fixed(out []byte, v float64) []byte {
	return binary.BigEndian.AppendUint32(out, uint32(int32(math.Round(v*65536))))
}
