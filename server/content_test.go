package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"net/http"
	"slices"
	"testing"

	"example.com/iiifd/iiif"
	"example.com/iiifd/testimages"
)

// samples is a server of the sample files without a cache on disk, and a
// client for it.
func samples(t *testing.T) (*stand, *http.Client) {
	t.Helper()
	st := open(t, setup{dir: testimages.Dir(), set: map[string]string{"cache-dir": "off"}})
	c := direct(nil)
	t.Cleanup(c.CloseIdleConnections)
	return st, c
}

func at(m image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y)).(color.NRGBA)
}

// TestCorners turns by odd angles: what the turned picture does not cover is
// transparent where the format can say so, of the background's colour
// elsewhere, and the middle stays (R80 R81 R82 R84).
func TestCorners(t *testing.T) {
	st, c := samples(t)
	const base = "/iiif/3/png-rgb.png/100,100,120,80/max/"
	whole := cut(testimages.Reference("png-rgb.png"), image.Rect(100, 100, 220, 180))
	for format, want := range map[string]color.NRGBA{"png": {}, "webp": {}, "tif": {}, "jpg": {R: 255, G: 255, B: 255, A: 255}} {
		m := st.picture(t, c, base+"45/default."+format)
		if w, h := m.Bounds().Dx(), m.Bounds().Dy(); w < 141 || w > 143 || h < 141 || h > 143 {
			t.Errorf("%s: %dx%d", format, w, h)
		}
		for _, corner := range [][2]int{{0, 0}, {m.Bounds().Dx() - 1, 0}, {0, m.Bounds().Dy() - 1}, {m.Bounds().Dx() - 1, m.Bounds().Dy() - 1}} {
			got := at(m, corner[0], corner[1])
			if got.A != want.A || (want.A != 0 && (got.R < 250 || got.G < 250 || got.B < 250)) {
				t.Errorf("%s: the corner %v is %v, want %v", format, corner, got, want)
			}
		}
		if got := at(m, m.Bounds().Dx()/2, m.Bounds().Dy()/2); got.A != 255 {
			t.Errorf("%s: the middle is %v", format, got)
		}
	}
	// Just off a quarter the picture is hardly another one.
	for _, angle := range []string{"0.001", "359.999", "0.01"} {
		m := st.picture(t, c, base+angle+"/default.png")
		if w, h := m.Bounds().Dx(), m.Bounds().Dy(); w < 120 || w > 122 || h < 80 || h > 82 {
			t.Errorf("%s: %dx%d", angle, w, h)
			continue
		}
		got, want := cut(m, image.Rect(10, 10, 110, 70)), cut(whole, image.Rect(10, 10, 110, 70))
		if d := testimages.Compare(got, want); d.Mean > 12 {
			t.Errorf("%s: %v", angle, d)
		}
	}
}

// TestQuarterSpellings shows that other spellings of a quarter are the same
// answer, to the byte and the tag (R85).
func TestQuarterSpellings(t *testing.T) {
	st, c := samples(t)
	const base = "/iiif/3/png-rgb.png/0,0,100,60/max/"
	want := ask(t, c, http.MethodGet, st.url, base+"90/default.png")
	for _, spelling := range []string{"90.0", "090", "90.000000"} {
		got := ask(t, c, http.MethodGet, st.url, base+spelling+"/default.png")
		if got.err != nil || !bytes.Equal(got.body, want.body) || got.Header.Get("ETag") != want.Header.Get("ETag") || got.Header.Get("Link") != want.Header.Get("Link") {
			t.Errorf("%s: %v %v", spelling, got.err, got.Header)
		}
	}
}

// TestQualities shows what each quality makes of the pixels: gray is one
// channel, bitonal has two values, thresholded after all else (R86 R87 R88
// R94).
func TestQualities(t *testing.T) {
	st, c := samples(t)
	const base = "/iiif/3/png-rgb.png/50,40,300,200/150,100/90/"
	if m := st.picture(t, c, base+"gray.png"); m.ColorModel() != color.GrayModel {
		t.Errorf("gray is %T", m)
	}
	colour, plain := st.picture(t, c, base+"color.png"), st.picture(t, c, base+"default.png")
	testimages.Equal(t, colour, plain, testimages.Exact)
	gray := st.picture(t, c, base+"gray.png")
	bitonal := st.picture(t, c, base+"bitonal.png")
	if bitonal.Bounds().Size() != image.Pt(100, 150) {
		t.Fatalf("bitonal is %v", bitonal.Bounds())
	}
	for y := range 150 {
		for x := range 100 {
			b, g := at(bitonal, x, y), at(gray, x, y)
			if b.R != b.G || b.G != b.B || (b.R != 0 && b.R != 255) {
				t.Fatalf("bitonal has %v at %d,%d", b, x, y)
			}
			// Thresholded from the gray picture of that size.
			if (b.R == 255) != (g.R >= 128) {
				t.Fatalf("bitonal is %d where gray is %d, at %d,%d", b.R, g.R, x, y)
			}
		}
	}
	m := st.picture(t, c, "/iiif/3/png-gray.png/full/max/0/color.png")
	testimages.Equal(t, m, testimages.Reference("png-gray.png"), testimages.Exact)
}

// TestOrderOfOperations shows region, size, mirror, turn and quality in
// their order, on pixels (R94).
func TestOrderOfOperations(t *testing.T) {
	st, c := samples(t)
	got := st.picture(t, c, "/iiif/3/png-rgb.png/101,51,200,100/max/!90/gray.png")
	want := turned(cut(testimages.Reference("png-rgb.png"), image.Rect(101, 51, 301, 151)), true, 1)
	gray := image.NewGray(want.Rect)
	draw.Draw(gray, gray.Rect, want, image.Point{}, draw.Src)
	if d := testimages.Compare(got, gray); d.Mean > 12 { // Ways to weigh the channels differ.
		t.Error(d)
	}
	if d := testimages.Compare(turned(cut(testimages.Reference("png-rgb.png"), image.Rect(101, 51, 301, 151)), false, 1), want); d.Mean < 30 {
		t.Errorf("the picture does not tell mirrors apart: %v", d)
	}
}

// TestSquare shows that the square is the middle of the longer side (R37).
func TestSquare(t *testing.T) {
	st, c := samples(t)
	testimages.Equal(t, st.picture(t, c, "/iiif/3/png-rgb.png/square/max/0/default.png"),
		cut(testimages.Reference("png-rgb.png"), image.Rect(107, 0, 504, 397)), testimages.Exact)
}

// TestFlattening shows what is under transparent pixels where the format has
// no transparency (R96).
func TestFlattening(t *testing.T) {
	dir := testimages.Dir()
	for background, want := range map[string]uint8{"white": 255, "black": 0} {
		st := open(t, setup{dir: dir, set: map[string]string{"background": background, "cache-dir": "off"}})
		c := direct(nil)
		reference := testimages.Reference("png-rgba.png").(*image.NRGBA)
		m := st.picture(t, c, "/iiif/3/png-rgba.png/full/max/0/default.jpg")
		c.CloseIdleConnections()
		seen := 0
		for y := 8; y < 380; y += 8 {
			for x := 8; x < 600; x += 8 {
				if !hollow(reference, image.Rect(x-8, y-8, x+8, y+8)) {
					continue
				}
				seen++
				if got := at(m, x, y); int(got.R)-int(want) > 4 || int(want)-int(got.R) > 4 || got.R != got.G || got.G != got.B {
					t.Fatalf("%s: %v at %d,%d", background, got, x, y)
				}
			}
		}
		if seen == 0 {
			t.Error("the sample has no hole")
		}
	}
}

// hollow tells that all of a part is transparent.
func hollow(m *image.NRGBA, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.NRGBAAt(x, y).A != 0 {
				return false
			}
		}
	}
	return true
}

// TestTilesMeet puts the tiles of a lossless picture together: they are the
// picture, with no line lost or doubled (R167).
func TestTilesMeet(t *testing.T) {
	st, c := samples(t)
	for _, name := range []string{"png-rgb.png", "tiff-tiled.tif", "webp-lossless.webp"} {
		want := testimages.Reference(name)
		size := want.Bounds().Size()
		joined := image.NewNRGBA(image.Rect(0, 0, size.X, size.Y))
		set := iiif.NewTileSet(iiif.Image{Width: size.X, Height: size.Y}, iiif.Dimensions{Width: 256, Height: 128})
		columns, rows := set.Grid(iiif.Image{Width: size.X, Height: size.Y}, 1)
		for i := range columns * rows {
			r, s, _ := set.Tile(iiif.Image{Width: size.X, Height: size.Y}, 1, i%columns, i/columns)
			m := st.picture(t, c, fmt.Sprintf("/iiif/3/%s/%d,%d,%d,%d/%d,%d/0/default.png", name, r.X, r.Y, r.Width, r.Height, s.Width, s.Height))
			draw.Draw(joined, image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height), m, m.Bounds().Min, draw.Src)
		}
		testimages.Equal(t, joined, want, testimages.Exact)
	}
}

// offered is what an info.json declares beyond the level.
type offered struct{ ExtraFormats, ExtraQualities, ExtraFeatures []string }

// TestEachKindKeepsItsPromise asks for every size and tile of one image of
// each kind, and for each declared quality and format of one (R73 R74 R91
// R101 R102 R129).
func TestEachKindKeepsItsPromise(t *testing.T) {
	st, c := samples(t)
	seen := map[testimages.Kind]bool{}
	for _, f := range testimages.All() {
		if seen[f.Kind] || !f.Readable || f.Named() {
			continue
		}
		seen[f.Kind] = true
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			st.tiles(t, c, f.Name, iiif.Image{Width: f.Width, Height: f.Height})
		})
	}
	var info offered
	if a := ask(t, c, http.MethodGet, st.url, "/iiif/3/png-rgb.png/info.json"); a.err != nil || json.Unmarshal(a.body, &info) != nil {
		t.Fatal(a.err)
	}
	formats := append([]string{"jpg", "png"}, info.ExtraFormats...)
	for _, quality := range append([]string{"default", "color", "gray", "bitonal"}, info.ExtraQualities...) {
		for _, format := range formats {
			a := ask(t, c, http.MethodGet, st.url, "/iiif/3/png-rgb.png/full/160,104/0/"+quality+"."+format)
			if a.err != nil || a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != iiif.Format(format).MediaType() || !is(format, a.body) {
				t.Errorf("%s.%s: %v %d %q %.40q", quality, format, a.err, a.StatusCode, a.Header.Get("Content-Type"), a.body)
			}
		}
	}
	for _, wanted := range []string{"webp", "tif", "gif", "jp2", "pdf", "avif"} {
		if !slices.Contains(formats, wanted) {
			t.Errorf("%s is not offered", wanted)
		}
	}
	// What is asked for in each extra feature's form works, and only what
	// works is declared.
	forms := map[string]string{
		"rotationArbitrary": "/full/160,/22.5/default.png", "mirroring": "/full/160,/!0/default.png", "sizeUpscaling": "/full/^700,/0/default.jpg",
		"regionSquare": "/square/max/0/default.jpg", "sizeByConfinedWh": "/full/!160,160/0/default.jpg",
		"canonicalLinkHeader": "/full/160,/0/default.jpg", "profileLinkHeader": "/full/160,/0/default.jpg",
	}
	for _, feature := range info.ExtraFeatures {
		form, known := forms[feature]
		if !known {
			t.Errorf("feature %q is not tested", feature)
			continue
		}
		a := ask(t, c, http.MethodGet, st.url, "/iiif/3/png-rgb.png"+form)
		if a.err != nil || a.StatusCode != http.StatusOK || a.Header.Get("Link") == "" {
			t.Errorf("%s: %v %d", feature, a.err, a.StatusCode)
		}
	}
	for _, wanted := range []string{"rotationArbitrary", "mirroring", "sizeUpscaling", "canonicalLinkHeader", "profileLinkHeader"} {
		if !slices.Contains(info.ExtraFeatures, wanted) {
			t.Errorf("%s works and is not declared", wanted)
		}
	}
}

// is tells whether bytes begin as a format's files do.
func is(format string, body []byte) bool {
	magic := map[string]string{
		"jpg": "\xff\xd8\xff", "png": "\x89PNG\r\n\x1a\n", "gif": "GIF8", "pdf": "%PDF-", "jp2": "\x00\x00\x00\x0cjP  \r\n\x87\n",
	}
	switch format {
	case "tif":
		return bytes.HasPrefix(body, []byte("II*\x00")) || bytes.HasPrefix(body, []byte("MM\x00*"))
	case "webp":
		return len(body) > 12 && string(body[:4]) == "RIFF" && string(body[8:12]) == "WEBP"
	case "avif":
		return len(body) > 12 && string(body[4:12]) == "ftypavif"
	case "jxl":
		return bytes.HasPrefix(body, []byte("\xff\x0a")) || bytes.HasPrefix(body, []byte("\x00\x00\x00\x0cJXL \r\n\x87\n"))
	}
	return magic[format] != "" && bytes.HasPrefix(body, []byte(magic[format]))
}
