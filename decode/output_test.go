package decode

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/testimages"
)

// decoders read the output formats without libvips.
var decoders = map[string]func([]byte) (image.Image, error){
	"png":  func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) },
	"jpg":  func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) },
	"tif":  func(b []byte) (image.Image, error) { return tiff.Decode(bytes.NewReader(b)) },
	"gif":  func(b []byte) (image.Image, error) { return gif.Decode(bytes.NewReader(b)) },
	"webp": func(b []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(b)) },
}

// rendered renders and decodes independently.
func rendered(t *testing.T, e *Engine, o object, params, format string) image.Image {
	t.Helper()
	out, err := request(t, e, o, params+"."+format)
	if err != nil {
		t.Fatalf("%s.%s: %v (%s)", params, format, err, detail(err))
	}
	im, err := decoders[format](out)
	if err != nil {
		t.Fatalf("%s.%s: %v", params, format, err)
	}
	return im
}

func TestTIFFOutputIsExact(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"png-rgb.png", "png-rgba.png", "png-gray.png", "png-16bit.png"} {
		s, _ := testimages.Lookup(name)
		testimages.Equal(t, rendered(t, e, sample(t, s), "full/max/0/default", "tif"), s.Picture(0), s.Tolerance)
	}
	keep := startEngine(t, func(c *Config) { c.KeepDepth = true })
	s, _ := testimages.Lookup("png-16bit.png")
	for _, format := range []string{"tif", "png"} {
		im := rendered(t, keep, sample(t, s), "full/max/0/default", format)
		if m := im.ColorModel(); m != color.RGBA64Model && m != color.NRGBA64Model {
			t.Errorf("%s: 16 bits become %T", format, im)
		}
		testimages.Equal(t, im, s.Picture(0), testimages.Tolerance{Max: 1, Mean: 1})
	}
}

// TestBigTIFFHeader lays out a header for more than four gigabytes.
func TestBigTIFFHeader(t *testing.T) {
	h := tiffHeader{width: 60000, height: 30000, bands: 3, bits: 8}
	b := h.bytes()
	if binary.NativeEndian.Uint16(b[2:]) != 43 {
		t.Fatal("not a BigTIFF")
	}
	s, err := header.Read(bytes.NewReader(b), int64(len(b))+int64(h.pixels()), -1)
	if err != nil || s.Width != 60000 || s.Height != 30000 || s.Bands != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestRotationByAnyAngle(t *testing.T) {
	e := startEngine(t)
	flat := image.NewNRGBA(image.Rect(0, 0, 80, 60))
	for i := range flat.Pix {
		flat.Pix[i] = [4]uint8{200, 40, 90, 255}[i%4]
	}
	o := objectOf(pngOf(t, flat))
	for format, corner := range map[string]color.NRGBA{
		"png": {}, "webp": {}, "tif": {}, "jpg": {255, 255, 255, 255},
	} {
		im := nrgba(rendered(t, e, o, "full/max/22.5/default", format))
		if w, h := im.Rect.Dx(), im.Rect.Dy(); w < 96 || w > 98 || h < 85 || h > 87 {
			t.Errorf("%s: %d×%d", format, w, h)
		}
		got := im.NRGBAAt(0, 0)
		if corner.A == 0 && got.A != 0 || corner.A != 0 && (got.R < 249 || got.G < 249 || got.B < 249) {
			t.Errorf("%s: corner %v, want %v", format, got, corner)
		}
		mid := im.NRGBAAt(im.Rect.Dx()/2, im.Rect.Dy()/2)
		if int(mid.R)-200 > 12 || 200-int(mid.R) > 12 || mid.A != 255 {
			t.Errorf("%s: middle %v", format, mid)
		}
	}
	black := startEngine(t, func(c *Config) { c.Background = "#102030" })
	if c := nrgba(rendered(t, black, o, "full/max/22.5/default", "jpg")).NRGBAAt(0, 0); c.R > 40 || c.B < 30 || c.B > 70 {
		t.Errorf("background %v", c)
	}
}

// TestRotationIsClockwise turns a picture whose top is red.
func TestRotationIsClockwise(t *testing.T) {
	e := startEngine(t)
	im := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for y := range 100 {
		for x := range 100 {
			im.SetNRGBA(x, y, color.NRGBA{0, 0, 255, 255})
			if y < 50 {
				im.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255})
			}
		}
	}
	o := objectOf(pngOf(t, im))
	for _, angle := range []string{"90", "89.5"} {
		got := decoded(t, e, o, "full/max/"+angle+"/default")
		if c := got.NRGBAAt(got.Rect.Dx()*3/4, got.Rect.Dy()/2); c.R < 250 {
			t.Errorf("%s: right side is %v", angle, c)
		}
	}
}

func TestAlphaOnBackground(t *testing.T) {
	e := startEngine(t)
	clear := image.NewNRGBA(image.Rect(0, 0, 64, 64)) // transparent black
	for i := range 64 * 32 {
		clear.Pix[i*4], clear.Pix[i*4+3] = 255, 128
	}
	o := objectOf(pngOf(t, clear))
	for _, size := range []string{"max", "20,"} {
		im := nrgba(rendered(t, e, o, "full/"+size+"/0/default", "jpg"))
		low, high := im.NRGBAAt(im.Rect.Dx()/2, im.Rect.Dy()-3), im.NRGBAAt(im.Rect.Dx()/2, 3)
		if low.R < 250 || low.G < 250 || high.R < 250 || high.G < 120 || high.G > 134 {
			t.Errorf("%s: transparent %v, half red %v", size, low, high)
		}
		for _, format := range []string{"png", "webp", "tif"} {
			im := nrgba(rendered(t, e, o, "full/"+size+"/0/default", format))
			if a := im.NRGBAAt(im.Rect.Dx()/2, im.Rect.Dy()-3).A; a != 0 {
				t.Errorf("%s %s: alpha %d, want 0", size, format, a)
			}
			if c := im.NRGBAAt(im.Rect.Dx()/2, 3); c.A != 128 || c.R < 230 || c.G > 25 {
				t.Errorf("%s %s: %v, want half red", size, format, c)
			}
		}
	}
}

func TestQualities(t *testing.T) {
	e := startEngine(t)
	for _, name := range []string{"png-rgb.png", "png-gray.png", "png-rgba.png", "png-palette.png", "jpeg-cmyk.jpg", "tiff-16bit.tif"} {
		s, ok := testimages.Lookup(name)
		if !ok {
			t.Fatalf("no sample %s", name)
		}
		o := sample(t, s)
		for _, params := range []string{"full/max/0/bitonal", "full/50,/0/bitonal", "full/50,/30/bitonal"} {
			for _, format := range []string{"png", "tif", "gif"} {
				im := rendered(t, e, o, params, format)
				seen := map[color.Color]bool{}
				for y := range im.Bounds().Dy() {
					for x := range im.Bounds().Dx() {
						seen[color.NRGBAModel.Convert(im.At(x, y))] = true
					}
				}
				for c := range seen {
					if n := c.(color.NRGBA); n != (color.NRGBA{255, 255, 255, 255}) && n != (color.NRGBA{0, 0, 0, 255}) {
						t.Fatalf("%s %s.%s: %v is neither black nor white", name, params, format, n)
					}
				}
				if len(seen) != 2 {
					t.Errorf("%s %s.%s: only %v", name, params, format, seen)
				}
			}
		}
		if im := rendered(t, e, o, "full/max/0/gray", "jpg"); im.ColorModel() != color.GrayModel {
			t.Errorf("%s: gray jpg is %T", name, im)
		}
	}
}

// TestProfiles checks what becomes of an embedded profile.
func TestProfiles(t *testing.T) {
	for _, s := range testimages.All() {
		if s.ICC == "" || s.Kind != testimages.JPEG || s.Colour != testimages.YCbCr {
			continue
		}
		o := sample(t, s)
		for _, mode := range []string{"convert", "keep", "strip"} {
			e := startEngine(t, func(c *Config) { c.ICC = mode })
			for _, format := range []string{"jpg", "png", "tif", "webp"} {
				out, err := request(t, e, o, "full/100,/0/default."+format)
				if err != nil {
					t.Fatal(err)
				}
				shape, err := e.Shape(context.Background(), objectOf(out))
				if err != nil {
					t.Fatal(err)
				}
				if got := shape.ICCBytes > 0; got != (mode == "keep") {
					t.Errorf("%s %s %s: %d bytes of profile", s.Name, mode, format, shape.ICCBytes)
				}
				if shape.Orientation != 1 {
					t.Errorf("%s %s %s: orientation %d", s.Name, mode, format, shape.Orientation)
				}
			}
		}
	}
}

// TestNothingRidesOnTiles: a picture full of metadata makes a small tile.
func TestNothingRidesOnTiles(t *testing.T) {
	e := startEngine(t)
	s, _ := testimages.Lookup("jpeg-orientation-6.jpg")
	for _, format := range []string{"jpg", "png", "webp"} {
		out, err := request(t, e, sample(t, s), "0,0,16,16/max/0/default."+format)
		if err != nil {
			t.Fatal(err)
		}
		// libvips' webp saver adds a generated Exif block of 150 bytes whatever
		// it is told (webpsave.c of 8.14 never reads strip).
		if bytes.Contains(out, []byte("Exif")) && format != "webp" || len(out) > 1200 {
			t.Errorf("%s: %d bytes", format, len(out))
		}
	}
}

func TestSwitchedOffLoaders(t *testing.T) {
	e := startEngine(t, func(c *Config) { c.AllowedLoaders = []string{"png"} })
	s, _ := testimages.Lookup("jpeg-444.jpg")
	if _, err := request(t, e, sample(t, s), "full/max/0/default.png"); !IsKind(err, Unsupported) {
		t.Errorf("jpeg: %v", err)
	}
	if _, err := request(t, e, objectOf(pngOf(t, pattern(9, 9))), "full/max/0/default.png"); err != nil {
		t.Errorf("png: %v", err)
	}
	all := startEngine(t)
	if _, err := request(t, all, objectOf([]byte("P5 1 1 255 x")), "full/max/0/default.png"); !IsKind(err, Unsupported) {
		t.Errorf("pgm: %v", err)
	}
}
