package plan

import (
	"errors"
	"math"

	"example.com/iiifd/iiif"
)

// ErrAfterAngle is returned for operations on what was rotated by other than
// quarter turns: they would need a picture of its own in between.
var ErrAfterAngle = errors.New("plan: nothing can follow a rotation that is no multiple of 90 degrees")

// Composition joins operations on a picture into one plan: regions of
// regions become one, sizes of sizes the last. It starts from the picture as
// it is stored, whatever orientation its header gives.
type Composition struct {
	shape         Shape
	orientation   int
	region        iiif.Rect // stored pixels
	width, height int       // of the region as it is scaled, as stored
	turn          turn
	angle         float64
}

// Compose begins with the whole picture of a source.
func Compose(s Shape) *Composition {
	c := &Composition{shape: s, orientation: max(s.Orientation, 1), width: s.Width, height: s.Height}
	c.shape.Orientation = 1
	c.region = iiif.Rect{Width: s.Width, Height: s.Height}
	return c
}

// Size is that of the picture as it is now, in pixels.
func (c *Composition) Size() (width, height int) {
	width, height = c.turn.sides(c.width, c.height)
	if c.angle != 0 {
		return bounds(width, height, c.angle)
	}
	return width, height
}

// Orientation is the EXIF value that has not been applied, 1 to 8.
func (c *Composition) Orientation() int { return c.orientation }

// Cut takes a region and scales it: both as Image API 3.0 has them, on the
// picture as it is now. Errors are *iiif.Error or ErrAfterAngle.
func (c *Composition) Cut(region iiif.Region, size iiif.Size) error {
	if c.angle != 0 {
		return ErrAfterAngle
	}
	w, h := c.Size()
	p := iiif.Params{Version: iiif.V3, Region: region, Size: size, Quality: iiif.QualityDefault, Format: iiif.FormatJPG}
	t, err := p.Resolve(iiif.Image{Width: w, Height: h}, iiif.Limits{})
	if err != nil {
		return err
	}
	part := c.turn.stored(t.Region, c.width, c.height)
	x, width := within(c.region.X, c.region.Width, c.width, part.X, part.Width)
	y, height := within(c.region.Y, c.region.Height, c.height, part.Y, part.Height)
	c.region = iiif.Rect{X: x, Y: y, Width: width, Height: height}
	c.width, c.height = c.turn.sides(t.Width, t.Height)
	return nil
}

// within maps length pixels from start on, of an axis that shows count stored
// pixels from first on as shown ones, to stored pixels.
func within(first, count, shown, start, length int) (int, int) {
	scale := float64(count) / float64(shown)
	begin := int(math.Round(float64(start) * scale))
	end := int(math.Round(float64(start+length) * scale))
	begin = min(begin, count-1)
	return first + begin, min(max(end-begin, 1), count-begin)
}

// Rotate mirrors left to right, if asked to, and turns clockwise.
func (c *Composition) Rotate(degrees float64, mirror bool) error {
	if c.angle != 0 {
		return ErrAfterAngle
	}
	if mirror {
		c.turn = c.turn.mirrored()
	}
	degrees = math.Mod(math.Mod(degrees, 360)+360, 360)
	if quarter := math.Round(degrees/90) * 90; quarter == degrees {
		c.turn = c.turn.rotated(int(quarter))
	} else {
		c.angle = degrees
	}
	return nil
}

// Upright applies the EXIF orientation.
func (c *Composition) Upright() error {
	if c.angle != 0 {
		return ErrAfterAngle
	}
	o := orientation(c.orientation)
	c.orientation = 1
	if o.flip {
		c.turn = c.turn.mirrored()
	}
	c.turn = c.turn.rotated(o.degrees)
	return nil
}

// Plan plans the composition in a format. Errors are those of Execute.
func (c *Composition) Plan(f iiif.Format, o Options) (Plan, error) {
	return Execute(c.shape, iiif.Transform{
		Image:  iiif.Image{Width: c.shape.Width, Height: c.shape.Height, Gray: c.shape.Gray()},
		Region: c.region, Width: c.width, Height: c.height,
		Mirror: c.turn.flip, Angle: math.Mod(float64(c.turn.degrees)+c.angle, 360),
		Quality: iiif.QualityDefault, Format: f,
	}, o)
}
