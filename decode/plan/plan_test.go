package plan

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/iiif"
)

// newPlan plans a request for a shape.
func newPlan(t *testing.T, s Shape, params string, o Options) Plan {
	t.Helper()
	p, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	pl, err := New(s, p, o)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	return pl
}

// photo is a plain 8-bit colour source.
func photo(l Loader, w, h int, levels ...Level) Shape {
	s := Shape{Loader: l, Width: w, Height: h, Orientation: 1, Bands: 3, BitsPerSample: 8, Sample: SampleUint, Colour: ColourRGB, Pages: 1}
	s.Levels = append([]Level{{Width: w, Height: h, TileWidth: 256, TileHeight: 256, Tiled: true, SubIFD: -1}}, levels...)
	return s
}

// pyramid halves a source as libvips does, rounding down.
func pyramid(w, h, n int) Shape {
	s := photo(LoaderTIFF, w, h)
	for i := 1; i < n; i++ {
		w, h = w/2, h/2
		s.Levels = append(s.Levels, Level{Width: w, Height: h, TileWidth: 256, TileHeight: 256, Tiled: true, Page: i, SubIFD: -1})
	}
	return s
}

func TestLevelOfPyramid(t *testing.T) {
	s := pyramid(10001, 7001, 7)
	for _, c := range []struct {
		params string
		level  int
		access Access
	}{
		{"full/max/0/default.jpg", 0, AccessRandom},
		{"full/5001,/0/default.jpg", 1, AccessRandom},
		{"full/5000,/0/default.jpg", 1, AccessRandom},
		{"full/4999,/0/default.jpg", 1, AccessRandom},
		{"full/2501,/0/default.jpg", 2, AccessRandom},
		{"full/256,/0/default.jpg", 5, AccessRandom},
		{"full/100,/0/default.jpg", 6, AccessRandom},
		{"full/10,/0/default.jpg", 6, AccessSequential},
		{"9728,6656,273,345/273,345/0/default.jpg", 0, AccessRandom},
		{"9216,6144,785,857/393,429/0/default.jpg", 1, AccessRandom},
		{"0,0,1024,1024/256,256/0/default.jpg", 2, AccessRandom},
	} {
		p := newPlan(t, s, c.params, Options{})
		if p.Level != c.level || p.Page != c.level || p.Access != c.access {
			t.Errorf("%s: level %d (page %d), %s; want %d, %s", c.params, p.Level, p.Page, p.Access, c.level, c.access)
		}
	}
}

// TestTilesAreNotResampled: tiles at a level's own scale are cut, not
// resized, at the edges of odd sizes too.
func TestTilesAreNotResampled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(300, 20000).Draw(t, "width"), rapid.IntRange(300, 20000).Draw(t, "height")
		levels := rapid.IntRange(1, 5).Draw(t, "levels")
		s := pyramid(w, h, levels)
		f := 1 << rapid.IntRange(0, levels-1).Draw(t, "factor")
		const tile = 256
		x := rapid.IntRange(0, (w-1)/(tile*f)).Draw(t, "x") * tile * f
		y := rapid.IntRange(0, (h-1)/(tile*f)).Draw(t, "y") * tile * f
		rw, rh := min(tile*f, w-x), min(tile*f, h-y)
		tr := iiif.Transform{
			Image: iiif.Image{Width: w, Height: h}, Region: iiif.Rect{X: x, Y: y, Width: rw, Height: rh},
			Width: ceilDiv(rw, f), Height: ceilDiv(rh, f), Quality: iiif.QualityDefault, Format: iiif.FormatJPG,
		}
		p, err := Execute(s, tr, Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := s.Levels[p.Level]
		if c := p.Crop; c.X < 0 || c.Y < 0 || c.Width < 1 || c.Height < 1 || c.X+c.Width > l.Width || c.Y+c.Height > l.Height {
			t.Fatalf("crop %v outside of %d×%d", c, l.Width, l.Height)
		}
		// Where the level is a pixel smaller than the tiles together, only a
		// tile as wide or high as the picture is stretched.
		if 1<<p.Level == f && p.Resizes() && l.Width >= tr.Width && l.Height >= tr.Height {
			t.Fatalf("tile %d,%d of 1/%d: crop %v becomes %d×%d", x, y, f, p.Crop, p.ScaledWidth, p.ScaledHeight)
		}
		if rw >= f && rh >= f && 1<<p.Level != f {
			t.Fatalf("tile %d,%d (%d×%d) of 1/%d comes from level %d", x, y, rw, rh, f, p.Level)
		}
	})
}

// TestCropStaysInside holds for every kind and orientation.
func TestCropStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 5000).Draw(t, "width"), rapid.IntRange(1, 5000).Draw(t, "height")
		s := photo(rapid.SampledFrom([]Loader{LoaderJPEG, LoaderWebP, LoaderPNG, LoaderTIFF, LoaderJP2}).Draw(t, "loader"), w, h)
		if s.Loader == LoaderJP2 {
			for r := 1; r < 6; r++ {
				s.Levels = append(s.Levels, Level{Width: ceilDiv(w, 1<<r), Height: ceilDiv(h, 1<<r), Reduction: r, SubIFD: -1})
			}
		}
		s.Orientation = rapid.IntRange(1, 8).Draw(t, "orientation")
		uw, uh := s.Upright()
		x, y := rapid.IntRange(0, uw-1).Draw(t, "x"), rapid.IntRange(0, uh-1).Draw(t, "y")
		region := iiif.Rect{X: x, Y: y, Width: rapid.IntRange(1, uw-x).Draw(t, "w"), Height: rapid.IntRange(1, uh-y).Draw(t, "h")}
		tr := iiif.Transform{
			Image: iiif.Image{Width: uw, Height: uh}, Region: region,
			Width: rapid.IntRange(1, 2*region.Width).Draw(t, "ow"), Height: rapid.IntRange(1, 2*region.Height).Draw(t, "oh"),
			Mirror: rapid.Bool().Draw(t, "mirror"), Angle: rapid.SampledFrom([]float64{0, 90, 180, 270, 22.5}).Draw(t, "angle"),
			Quality: iiif.QualityDefault, Format: iiif.FormatPNG,
		}
		p, err := Execute(s, tr, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := p.Crop
		if c.X < 0 || c.Y < 0 || c.Width < 1 || c.Height < 1 || c.X+c.Width > p.LoadedWidth || c.Y+c.Height > p.LoadedHeight {
			t.Fatalf("crop %v outside of %d×%d", c, p.LoadedWidth, p.LoadedHeight)
		}
		if p.ScaledWidth >= region.Width && p.ScaledHeight >= region.Height && s.Orientation < 5 && p.Shrink*(1+p.Level) != 1 {
			t.Fatalf("a reduced source (level %d, shrink %d) is scaled up", p.Level, p.Shrink)
		}
		if tr.Angle == 0 && s.Orientation < 5 && (p.OutWidth != tr.Width || p.OutHeight != tr.Height) {
			t.Fatalf("%d×%d comes out as %d×%d", tr.Width, tr.Height, p.OutWidth, p.OutHeight)
		}
	})
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		full, part iiif.Rect
		want       bool
	}{
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 500, Height: 350}, true},
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 501, Height: 351}, true},
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 500, Height: 351}, true},
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 31, Height: 21}, true},
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 160, Height: 120}, false},
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 701, Height: 1001}, false},
		{iiif.Rect{Width: 1001, Height: 701}, iiif.Rect{Width: 1, Height: 1}, true},
	} {
		if got := fits(c.full.Width, c.full.Height, c.part.Width, c.part.Height); got != c.want {
			t.Errorf("%v of %v: %v", c.part, c.full, got)
		}
	}
}

func TestShrinkOnLoad(t *testing.T) {
	s := photo(LoaderJPEG, 4000, 3000)
	for params, want := range map[string]int{
		"full/max/0/default.jpg": 1, "full/2001,/0/default.jpg": 1, "full/2000,/0/default.jpg": 2,
		"full/1024,/0/default.jpg": 2, "full/1000,/0/default.jpg": 4, "full/100,/0/default.jpg": 8,
		"full/100,3000/0/default.jpg": 1, // only one side is shrunk
	} {
		if p := newPlan(t, s, params, Options{}); p.Shrink != want {
			t.Errorf("%s: shrink %d, want %d", params, p.Shrink, want)
		}
	}
}

func TestSteps(t *testing.T) {
	rgba, cmyk, deep := photo(LoaderPNG, 100, 100), photo(LoaderJPEG, 100, 100), photo(LoaderTIFF, 100, 100)
	rgba.Bands, rgba.Alpha = 4, true
	cmyk.Bands, cmyk.Colour = 4, ColourCMYK
	deep.Sample, deep.BitsPerSample = SampleFloat, 32
	plain := photo(LoaderPNG, 100, 100)
	for _, c := range []struct {
		shape  Shape
		params string
		want   []Step
	}{
		{plain, "full/max/0/default.jpg", nil},
		{plain, "0,50,50,50/max/0/default.jpg", []Step{StepAdvance, StepCrop}},
		{rgba, "full/50,/0/default.png", []Step{StepResize}},
		{rgba, "full/50,/0/default.jpg", []Step{StepFlatten, StepResize}},
		{cmyk, "full/40,/0/default.jpg", []Step{StepResize, StepColour}},
		{deep, "full/50,/0/default.jpg", []Step{StepColour, StepResize}},
		{plain, "full/max/!0/default.jpg", []Step{StepFlip}},
		{plain, "full/max/!90/gray.jpg", []Step{StepGray, StepCopy, StepFlip, StepTurn}},
		{plain, "full/max/10/bitonal.png", []Step{StepGray, StepCopy, StepRotate, StepBitonal}},
	} {
		if p := newPlan(t, c.shape, c.params, Options{ICC: ICCConvert}); !slices.Equal(p.Steps, c.want) {
			t.Errorf("%s: %v, want %v", c.params, p.Steps, c.want)
		}
	}
}

func TestSizeExceedsFormat(t *testing.T) {
	s := photo(LoaderTIFF, 100000, 100)
	for f, want := range map[string]bool{"jpg": true, "webp": true, "gif": true, "avif": true, "png": false, "tif": false} {
		p, err := iiif.ParseParams("full/max/0/default."+f, iiif.V3)
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(s, p, Options{})
		var size *SizeError
		if errors.As(err, &size) != want {
			t.Errorf("%s: %v", f, err)
		}
	}
	if _, err := Execute(s, iiif.Transform{Format: "bmp", Width: 1, Height: 1}, Options{}); err == nil {
		t.Error("an unknown format is planned")
	}
}
