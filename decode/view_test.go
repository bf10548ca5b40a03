package decode

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
	"example.com/iiifd/testimages"
)

// requestWith is request with other options.
func requestWith(t testing.TB, e *Engine, o source.Object, params string, edit func(plan.Shape, *plan.Options)) []byte {
	t.Helper()
	s, err := e.Shape(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	options := e.PlanOptions()
	options.Limits = iiif.Limits{MaxWidth: 4096, MaxHeight: 4096}
	edit(s, &options)
	pl, err := plan.New(s, p, options)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	var out bytes.Buffer
	if err := e.Render(context.Background(), o, pl, &out); err != nil {
		t.Fatalf("%s: %v (%s)", params, err, detail(err))
	}
	return out.Bytes()
}

func decodePNG(t testing.TB, b []byte) *image.NRGBA {
	t.Helper()
	im, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return nrgba(im)
}

// third shows a picture as if it had a third of its sides.
func third(s plan.Shape, o *plan.Options) {
	w, h := s.Upright()
	o.View = iiif.Dimensions{Width: max(1, w/3), Height: max(1, h/3)}
}

// TestViewIsAllThereIs: whatever part of a reduced picture is asked for, at
// whatever size, is made of the reduced picture's pixels. What could be told
// apart from them would be detail of the original.
func TestViewIsAllThereIs(t *testing.T) {
	e := startEngine(t)
	eachSample(t, func(t *testing.T, _ testimages.File, o object) {
		whole := decodePNG(t, requestWith(t, e, o, "full/max/0/default.png", third))
		w, h := whole.Rect.Dx(), whole.Rect.Dy()
		for _, r := range []image.Rectangle{
			image.Rect(0, 0, w/2, h/2), image.Rect(w/3, h/2, w, h), image.Rect(w/2, h/3, w/2+1, h/3+1), image.Rect(w-9, 0, w, h),
		} {
			r = r.Intersect(whole.Rect)
			if r.Empty() {
				continue
			}
			region := fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
			got := decodePNG(t, requestWith(t, e, o, region+"/max/0/default.png", third))
			testimages.Equal(t, got, whole.SubImage(r), testimages.Tolerance{})

			// Reduced and enlarged it is what the reduced picture, as a source
			// of its own, gives.
			alone := objectOf(pngOf(t, whole))
			for _, size := range []string{fmt.Sprintf("%d,", (r.Dx()+1)/2), fmt.Sprintf("^%d,%d", 2*r.Dx()+1, 3*r.Dy()), "^!200,200"} {
				got := decodePNG(t, requestWith(t, e, o, region+"/"+size+"/0/default.png", third))
				want := decodePNG(t, requestWith(t, e, alone, region+"/"+size+"/0/default.png", func(plan.Shape, *plan.Options) {}))
				// Where the source is stored turned, the other axis is shrunk
				// first, which rounds differently.
				if d := testimages.Compare(got, want); d.Max > 20 || d.Mean > 0.5 {
					t.Errorf("%s of %v at %s: %v", region, whole.Rect, size, d)
				}
			}
		}
	})
}

// TestViewSkips: parts of a tall picture that is read from top to bottom are
// those of the whole one.
func TestViewSkips(t *testing.T) {
	e := startEngine(t)
	o := objectOf(pngOf(t, pattern(240, 3000)))
	for _, size := range []iiif.Dimensions{{Width: 24, Height: 300}, {Width: 100, Height: 1250}, {Width: 7, Height: 88}, {Width: 239, Height: 2988}} {
		edit := func(_ plan.Shape, p *plan.Options) { p.View = size }
		whole := decodePNG(t, requestWith(t, e, o, "full/max/0/default.png", edit))
		for y := 1; y < size.Height; y += 1 + size.Height/40 {
			r := image.Rect(size.Width/2, y, size.Width, min(y+9, size.Height))
			got := decodePNG(t, requestWith(t, e, o, fmt.Sprintf("%d,%d,%d,%d/max/0/default.png", r.Min.X, y, r.Dx(), r.Dy()), edit))
			testimages.Equal(t, got, whole.SubImage(r), testimages.Tolerance{})
		}
	}
}

// TestViewTurns: orientation, mirror and rotation come after the reduction.
func TestViewTurns(t *testing.T) {
	e := startEngine(t)
	for orientation := 1; orientation <= 8; orientation++ {
		s, _ := testimages.Lookup(fmt.Sprintf("jpeg-orientation-%d.jpg", orientation))
		o := sample(t, s)
		whole := decodePNG(t, requestWith(t, e, o, "full/max/0/default.png", third))
		part := image.NewNRGBA(image.Rect(0, 0, 40, 40))
		draw.Draw(part, part.Rect, whole, image.Pt(10, 5), draw.Src)
		got := decodePNG(t, requestWith(t, e, o, "10,5,40,40/max/!90/default.png", third))
		testimages.Equal(t, got, testimages.Orient(testimages.Orient(part, 2), testimages.Inverse(6)), testimages.Tolerance{})
	}
}

// TestViewIsPriced: the second resizing costs, and a view of a large source
// costs what the reduction of the whole costs.
func TestViewIsPriced(t *testing.T) {
	s := plan.Shape{
		Loader: plan.LoaderTIFF, Width: 20000, Height: 20000, Bands: 3, BitsPerSample: 8, Sample: plan.SampleUint, Colour: plan.ColourRGB,
		Levels: []plan.Level{{Width: 20000, Height: 20000, TileWidth: 256, TileHeight: 256, Tiled: true, SubIFD: -1}},
	}
	peak := func(params string, o plan.Options) int64 {
		p, err := iiif.ParseParams(params, iiif.V3)
		if err != nil {
			t.Fatal(err)
		}
		pl, err := plan.New(s, p, o)
		if err != nil {
			t.Fatal(err)
		}
		return pl.Peak()
	}
	view := plan.Options{View: iiif.Dimensions{Width: 2000, Height: 2000}}
	whole := peak("full/2000,2000/0/default.jpg", plan.Options{})
	if tile := peak("0,0,512,512/max/0/default.jpg", view); tile < whole*9/10 {
		t.Errorf("a view's tile costs %d, its reduction %d", tile, whole)
	}
	if resized := peak("full/1000,/0/default.jpg", view); resized < whole+2000*2000*3 {
		t.Errorf("resized once more: %d, not above %d and the reduced picture", resized, whole)
	}
}
