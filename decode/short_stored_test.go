package decode

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/png"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/testimages"
)

// TestStoredTileIsThePicture decodes what was passed on and compares it with
// libvips' own decoding of the tile, gray and turned ones included.
func TestStoredTileIsThePicture(t *testing.T) {
	e := startEngine(t)
	for name, o := range shortSources(t) {
		s, err := e.Shape(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		l := s.Levels[0]
		if !l.JPEGTiles {
			continue
		}
		passed := 0
		for level, l := range s.Levels {
			k := 1 << level
			for y := 0; y < s.Height; y += l.TileHeight * k {
				for x := 0; x < s.Width; x += l.TileWidth * k {
					w, h := min(l.TileWidth*k, s.Width-x), min(l.TileHeight*k, s.Height-y)
					region := fmt.Sprintf("%d,%d,%d,%d/%d,%d", x, y, w, h, ceilDiv(w, k), ceilDiv(h, k))
					p, short, _ := both(t, e, o, s, region+"/0/default.jpg", func(*plan.Options) {})
					whole := w == l.TileWidth*k && h == l.TileHeight*k
					if whole != (p.Short == plan.ShortStored) {
						t.Errorf("%s: %s goes the way %q", name, region, p.Short)
					}
					if p.Short != plan.ShortStored {
						continue
					}
					passed++
					got := decoded(t, e, objectOf(short), "full/max/0/default")
					want := decoded(t, e, o, region+"/0/default")
					testimages.Equal(t, got, want, testimages.Exact)
				}
			}
		}
		if passed == 0 {
			t.Errorf("%s: no tile was passed on", name)
		}
	}
}

// TestStoredTilesAreForPlainRequestsAlone lists what a stored tile must not
// answer.
func TestStoredTilesAreForPlainRequestsAlone(t *testing.T) {
	e := startEngine(t)
	o := shortSources(t)["256"]
	s, err := e.Shape(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for params, want := range map[string]plan.Short{
		"256,256,256,256/max/0/default.jpg":       plan.ShortStored,
		"256,256,256,256/max/0/color.jpg":         plan.ShortStored,
		"256,256,256,256/max/90/default.jpg":      plan.ShortNone,
		"256,256,256,256/max/!0/default.jpg":      plan.ShortNone,
		"256,256,256,256/max/0/gray.jpg":          plan.ShortNone,
		"256,256,256,256/max/0/bitonal.jpg":       plan.ShortNone,
		"256,256,256,256/max/0/default.png":       plan.ShortNone,
		"256,256,256,256/128,128/0/default.jpg":   plan.ShortTiles,
		"256,255,256,256/max/0/default.jpg":       plan.ShortTiles,
		"256,256,256,255/max/0/default.jpg":       plan.ShortTiles,
		"1280,768,256,256/max/0/default.jpg":      plan.ShortTiles, // beyond the edge
		"256,256,256,256/^300,300/0/default.jpg":  plan.ShortNone,
		"0,0,512,512/256,256/0/default.jpg":       plan.ShortStored,
		"0,0,512,512/256,255/0/default.jpg":       plan.ShortTiles,
		"256,256,256,256/max/22.5/default.jpg":    plan.ShortNone,
		"256,256,256,256/max/360/default.jpg":     plan.ShortStored,
		"256,256,256,256/256,256/0.0/default.jpg": plan.ShortStored,
	} {
		p, _, _ := both(t, e, o, s, params, func(*plan.Options) {})
		if p.Short != want {
			t.Errorf("%s goes the way %q, want %q", params, p.Short, want)
		}
	}
	profile := s
	profile.ICCBytes = 500
	for icc, want := range map[plan.ICC]plan.Short{plan.ICCConvert: plan.ShortNone, plan.ICCKeep: plan.ShortNone, plan.ICCStrip: plan.ShortStored} {
		p, _, _ := both(t, e, o, profile, "256,256,256,256/max/0/default.jpg", func(o *plan.Options) { o.ICC = icc })
		if p.Short != want {
			t.Errorf("with a profile and %s: the way %q, want %q", icc, p.Short, want)
		}
	}
}

// TestDamagedTilesAreErrorsOrPictures changes bytes of files: what comes out
// must be an error or a whole picture. Stored tiles are decoded for it: the
// coded samples of one that is passed on are not looked at.
func TestDamagedTilesAreErrorsOrPictures(t *testing.T) {
	e := startEngine(t, func(c *Config) { c.StoredTiles = false })
	for name, o := range shortSources(t) {
		whole := make([]byte, o.info.Size)
		if _, err := o.ReadAt(whole, 0); err != nil {
			t.Fatal(err)
		}
		seed, errors, pictures := uint32(7), 0, 0
		for range 150 {
			b := bytes.Clone(whole)
			for range 1 + seed>>29 {
				seed = seed*1664525 + 1013904223
				at := int(seed>>4) % len(b)
				seed = seed*1664525 + 1013904223
				b[at] = byte(seed >> 24)
			}
			if seed>>28 == 0 {
				b = b[:int(seed>>8)%len(b)]
			}
			for _, params := range []string{"0,0,128,128/max/0/default.jpg", "130,70,400,300/250,/0/default.jpg", "full/90,/0/default.jpg"} {
				s, err := e.Shape(context.Background(), objectOf(b))
				if err != nil || int64(s.Width)*int64(s.Height) > 4e6 {
					continue
				}
				out, err := request(t, e, objectOf(b), params)
				if err != nil {
					errors++
					continue
				}
				pictures++
				im := decodedJPEG(t, out)
				if im.Bounds().Empty() {
					t.Errorf("%s: an empty picture", name)
				}
			}
		}
		t.Logf("%s: %d errors, %d pictures", name, errors, pictures)
		if pictures == 0 {
			t.Errorf("%s: no request was answered", name)
		}
	}
}

// TestTruncatedTileIsAnError cuts a file in the middle of its pixels.
func TestTruncatedTileIsAnError(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"256", "jp2", "gray"} {
		o := shortSources(t)[name]
		s, err := e.Shape(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		whole := make([]byte, o.info.Size)
		if _, err := o.ReadAt(whole, 0); err != nil {
			t.Fatal(err)
		}
		// The facts are those of the whole file, as remembered from before.
		cut := objectOf(whole[:1200])
		for _, params := range []string{"0,0,256,256/max/0/default.jpg", "full/90,/0/default.jpg"} {
			if out, err := requestShape(t, e, cut, s, params); err == nil {
				t.Errorf("%s, %s: %d bytes of a cut file", name, params, len(out))
			}
		}
	}
}

func TestStoredTileOfOddMarkers(t *testing.T) {
	e := startEngine(t)
	o := shortSources(t)["rgb"]
	out, err := request(t, e, o, "128,128,128,128/max/0/default.jpg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(out, []byte(adobeHead)) {
		t.Error("RGB samples go out without the marker that says so")
	}
	// Another decoder must see the same colours.
	ref, err := request(t, e, o, "128,128,128,128/max/0/default.png")
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(ref))
	if err != nil {
		t.Fatal(err)
	}
	got := decodedJPEG(t, out)
	g := color.NRGBAModel.Convert(got.At(60, 60))
	w := color.NRGBAModel.Convert(want.At(60, 60))
	if g != w {
		t.Errorf("pixel %v, want %v", g, w)
	}
}
