package iiif

import (
	"math"
	"strings"
)

// Rotation is the rotation parameter. Mirroring, left to right, comes before
// turning (Image API 3.0 and 2.1, 4.3).
type Rotation struct {
	Mirror bool
	// Degrees is clockwise, at least 0 and below 360: 360 is read as 0.
	Degrees Decimal
}

// String returns the parameter in its shortest spelling.
func (r Rotation) String() string {
	if r.Mirror {
		return "!" + r.Degrees.String()
	}
	return r.Degrees.String()
}

func parseRotation(s string) (Rotation, error) {
	const reason = "must be a number from 0 to 360, with an optional ! before it"
	var r Rotation
	s, r.Mirror = strings.CutPrefix(s, "!")
	var o lexed
	if r.Degrees, o = lexDecimal(s); o != lexOK {
		return Rotation{}, numberError(o, CodeRotationInvalid, ParameterRotation, reason)
	}
	if r.Degrees.exceeds(360) {
		return Rotation{}, badRequest(CodeRotationInvalid, ParameterRotation, reason)
	}
	if r.Degrees.whole == 360 {
		r.Degrees = Decimal{}
	}
	return r, nil
}

// angle returns the degrees as a float64 in [0, 360); an angle so near to a
// full turn that no float64 lies between is the last one below it.
func (r Rotation) angle() float64 {
	return min(r.Degrees.Float64(), math.Nextafter(360, 0))
}

// boundingBox returns the sides of the box around a width by height rectangle
// turned by the angle. Quarter turns are exact.
func boundingBox(width, height, angle float64) (w, h float64) {
	switch angle {
	case 0, 180:
		return width, height
	case 90, 270:
		return height, width
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	sin, cos = math.Abs(sin), math.Abs(cos)
	return width*cos + height*sin, width*sin + height*cos
}
