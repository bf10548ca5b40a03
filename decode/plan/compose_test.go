package plan

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/iiif"
)

func cut(t *testing.T, c *Composition, params string) {
	t.Helper()
	p, err := iiif.ParseParams(params+"/0/default.jpg", iiif.V3)
	if err == nil {
		err = c.Cut(p.Region, p.Size)
	}
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
}

func TestCompositionJoins(t *testing.T) {
	c := Compose(Shape{Width: 400, Height: 300, Orientation: 6})
	if w, h := c.Size(); w != 400 || h != 300 || c.Orientation() != 6 {
		t.Fatalf("as stored: %d×%d, orientation %d", w, h, c.Orientation())
	}
	if err := c.Upright(); err != nil {
		t.Fatal(err)
	}
	if w, h := c.Size(); w != 300 || h != 400 || c.Orientation() != 1 {
		t.Fatalf("upright: %d×%d, orientation %d", w, h, c.Orientation())
	}
	// The upright picture's top left is the stored one's bottom left.
	cut(t, c, "0,0,100,200/max")
	if want := (iiif.Rect{X: 0, Y: 200, Width: 200, Height: 100}); c.region != want {
		t.Errorf("region %v, want %v", c.region, want)
	}
	cut(t, c, "full/50,100")
	cut(t, c, "25,50,25,50/max")
	if want := (iiif.Rect{X: 100, Y: 200, Width: 100, Height: 50}); c.region != want {
		t.Errorf("region of a region %v, want %v", c.region, want)
	}
	if err := c.Rotate(-90, true); err != nil {
		t.Fatal(err)
	}
	if w, h := c.Size(); w != 50 || h != 25 {
		t.Errorf("turned: %d×%d", w, h)
	}
	p, err := c.Plan(iiif.FormatJPG, Options{})
	if err != nil || p.OutWidth != 50 || p.OutHeight != 25 {
		t.Errorf("plan: %d×%d, %v", p.OutWidth, p.OutHeight, err)
	}
	if err := c.Rotate(10, false); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Rotate(1, false), c.Upright(), c.Cut(iiif.Region{}, iiif.Size{})} {
		if !errors.Is(err, ErrAfterAngle) {
			t.Errorf("after an angle: %v", err)
		}
	}
}

// Whatever is done, the region stays within the source and the plan's output
// has the size that the composition says.
func TestCompositionStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shape{Width: rapid.IntRange(1, 5000).Draw(t, "w"), Height: rapid.IntRange(1, 5000).Draw(t, "h"), Orientation: rapid.IntRange(1, 8).Draw(t, "o"), Bands: 3, BitsPerSample: 8, Sample: SampleUint, Colour: ColourRGB, Loader: LoaderPNG}
		c := Compose(s)
		for range rapid.IntRange(1, 6).Draw(t, "n") {
			var err error
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				w, h := c.Size()
				r := iiif.Region{Kind: iiif.RegionPixels, Pixels: iiif.Rect{X: rapid.IntRange(0, w-1).Draw(t, "x"), Y: rapid.IntRange(0, h-1).Draw(t, "y"), Width: rapid.IntRange(1, w).Draw(t, "rw"), Height: rapid.IntRange(1, h).Draw(t, "rh")}}
				err = c.Cut(r, iiif.Size{Kind: iiif.SizeMax})
			case 1:
				err = c.Cut(iiif.Region{}, iiif.Size{Kind: iiif.SizeExact, Upscale: true, Width: rapid.IntRange(1, 900).Draw(t, "sw"), Height: rapid.IntRange(1, 900).Draw(t, "sh")})
			case 2:
				err = c.Rotate(float64(90*rapid.IntRange(-4, 4).Draw(t, "q")), rapid.Bool().Draw(t, "m"))
			case 3:
				err = c.Upright()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := c.region
		if r.X < 0 || r.Y < 0 || r.Width < 1 || r.Height < 1 || r.X+r.Width > s.Width || r.Y+r.Height > s.Height {
			t.Fatalf("region %v of %d×%d", r, s.Width, s.Height)
		}
		w, h := c.Size()
		p, err := c.Plan(iiif.FormatPNG, Options{})
		if err != nil || p.OutWidth != w || p.OutHeight != h {
			t.Fatalf("plan %d×%d, composition %d×%d, %v", p.OutWidth, p.OutHeight, w, h, err)
		}
	})
}
