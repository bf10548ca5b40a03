package plan

import (
	"math"

	"example.com/iiifd/iiif"
)

// turn is one of the eight symmetries of a rectangle: a left-right flip or
// none, then clockwise degrees (0, 90, 180 or 270).
type turn struct {
	flip    bool
	degrees int
}

// orientations are the EXIF orientations 1 to 8 as the turn that makes the
// stored picture upright (TIFF 6.0, tag 274).
var orientations = [9]turn{
	1: {},
	2: {flip: true},
	3: {degrees: 180},
	4: {flip: true, degrees: 180},
	5: {flip: true, degrees: 270},
	6: {degrees: 90},
	7: {flip: true, degrees: 90},
	8: {degrees: 270},
}

// orientation returns the turn of an EXIF value; values outside 1 to 8 mean
// upright.
func orientation(exif int) turn {
	if exif < 1 || exif > 8 {
		return turn{}
	}
	return orientations[exif]
}

// mirrored appends a left-right flip: flipping after a turn is turning the
// other way after a flip.
func (t turn) mirrored() turn {
	return turn{flip: !t.flip, degrees: (360 - t.degrees) % 360}
}

// rotated appends a clockwise rotation by a multiple of 90 degrees.
func (t turn) rotated(degrees int) turn {
	return turn{flip: t.flip, degrees: (t.degrees + degrees) % 360}
}

// swaps tells that the turn exchanges width and height.
func (t turn) swaps() bool { return t.degrees%180 != 0 }

// sides returns the stored sides of what has these when it is turned, and
// the other way round.
func (t turn) sides(width, height int) (int, int) {
	if t.swaps() {
		return height, width
	}
	return width, height
}

// stored maps a rectangle of the turned picture back to the stored one,
// which is width × height.
func (t turn) stored(r iiif.Rect, width, height int) iiif.Rect {
	switch t.degrees {
	case 90:
		r = iiif.Rect{X: r.Y, Y: height - r.X - r.Width, Width: r.Height, Height: r.Width}
	case 180:
		r.X, r.Y = width-r.X-r.Width, height-r.Y-r.Height
	case 270:
		r = iiif.Rect{X: width - r.Y - r.Height, Y: r.X, Width: r.Height, Height: r.Width}
	}
	if t.flip {
		r.X = width - r.X - r.Width
	}
	return r
}

// axis is one axis of a source: stored pixels, the loaded ones, the output
// pixels wanted, and the stored pixels per loaded one.
type axis struct {
	stored, loaded, want int
	factor               float64
}

// crop returns the loaded pixels that stand for length stored ones from
// start on. Where their exact number is at most one off the number wanted,
// that many are taken: an edge tile of a level whose size was rounded is
// then neither stretched nor blurred. Where the level was rounded down and
// has no pixel for the picture's last part, pad is 1: the last one is to be
// repeated.
func (a axis) crop(start, length int) (first, count, pad int) {
	begin, end := float64(start)/a.factor, float64(start+length)/a.factor
	if start+length >= a.stored || end > float64(a.loaded) {
		end = float64(a.loaded)
	}
	first = int(math.Round(begin))
	count = int(math.Round(end)) - first
	reduced := a.loaded < a.stored
	if reduced && math.Abs(float64(length)/a.factor-float64(a.want)) <= 1 ||
		math.Abs(end-begin-float64(a.want)) <= 1 && a.want <= a.loaded {
		count = a.want
	}
	if reduced && first+count == a.loaded+1 && count > 1 {
		return first, count - 1, 1
	}
	count = min(max(count, 1), a.loaded)
	return min(max(first, 0), a.loaded-count), count, 0
}

// bounds returns the size of a width × height picture rotated by degrees.
func bounds(width, height int, degrees float64) (int, int) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	sin, cos = math.Abs(sin), math.Abs(cos)
	w, h := float64(width), float64(height)
	return int(math.Round(w*cos + h*sin)), int(math.Round(w*sin + h*cos))
}
