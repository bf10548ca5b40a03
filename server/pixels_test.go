package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"example.com/iiifd/iiif"
	"example.com/iiifd/testimages"
)

// identifier encodes a file's path below the source.
func identifier(path string) string { return url.PathEscape(path) }

// picture asks for an image and decodes it.
func (st *stand) picture(t *testing.T, c *http.Client, path string) image.Image {
	t.Helper()
	a := ask(t, c, http.MethodGet, st.url, path)
	if a.err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %d %s", path, a.err, a.StatusCode, a.body)
	}
	m, _, err := image.Decode(bytes.NewReader(a.body))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

// cut copies a part of a picture.
func cut(m image.Image, r image.Rectangle) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Rect, m, r.Min.Add(m.Bounds().Min), draw.Src)
	return out
}

// turned mirrors a picture left to right where asked and then turns it
// clockwise by quarters.
func turned(m image.Image, mirror bool, quarters int) *image.NRGBA {
	src := cut(m, m.Bounds().Sub(m.Bounds().Min))
	if mirror {
		src = testimages.Orient(src, 2)
	}
	for range quarters {
		w, h := src.Rect.Dx(), src.Rect.Dy()
		next := image.NewNRGBA(image.Rect(0, 0, h, w))
		for y := range h {
			for x := range w {
				next.SetNRGBA(h-1-y, x, src.NRGBAAt(x, y))
			}
		}
		src = next
	}
	return src
}

// TestTilesOverHTTP decodes every advertised tile of images of thirty random
// sizes, in the form of each version: each has exactly the size that viewers
// compute (R73 R74 R121
// R163 R164 R165).
func TestTilesOverHTTP(t *testing.T) {
	dir := t.TempDir()
	st := open(t, setup{dir: dir, set: map[string]string{"cache-dir": "off"}})
	c := direct(nil)
	defer c.CloseIdleConnections()
	random := rand.New(rand.NewPCG(30, 1))
	for i := range 30 {
		img := iiif.Image{Width: 1 + random.IntN(2400), Height: 1 + random.IntN(1300), Gray: true}
		switch i % 6 {
		case 0:
			img.Width = 1 + random.IntN(9)
		case 1:
			img.Height = 1 + random.IntN(9)
		case 2: // Around a tile's edge.
			img.Width, img.Height = 510+random.IntN(5), 1022+random.IntN(5)
		}
		name := fmt.Sprintf("%dx%d.png", img.Width, img.Height)
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, drawn(img.Width, img.Height, true)); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			st.tiles(t, c, name, img)
		})
	}
}

// tiles asks for everything that an image's info.json promises.
func (st *stand) tiles(t *testing.T, c *http.Client, name string, img iiif.Image) {
	t.Helper()
	var info struct {
		Width, Height int
		Sizes         []iiif.Dimensions
		Tiles         []struct {
			Width, Height int
			ScaleFactors  []int
		}
	}
	a := ask(t, c, http.MethodGet, st.url, "/iiif/3/"+name+"/info.json")
	if a.err != nil || json.Unmarshal(a.body, &info) != nil || info.Width != img.Width || info.Height != img.Height || len(info.Tiles) != 1 {
		t.Fatalf("%v %s", a.err, a.body)
	}
	size := func(path string, want iiif.Dimensions) {
		a := ask(t, c, http.MethodGet, st.url, path)
		if a.err != nil {
			t.Fatal(a.err)
		}
		cfg, kind, err := image.DecodeConfig(bytes.NewReader(a.body))
		if err != nil || kind != "jpeg" || cfg.Width != want.Width || (want.Height != 0 && cfg.Height != want.Height) {
			t.Errorf("%s: %d, %s %dx%d, %v", path, a.StatusCode, kind, cfg.Width, cfg.Height, err)
		}
	}
	// In 2.x the height follows from the region's shape, and viewers stretch
	// it into its place.
	wide := func(d iiif.Dimensions) iiif.Dimensions { return iiif.Dimensions{Width: d.Width} }
	for _, s := range info.Sizes {
		size(fmt.Sprintf("/iiif/3/%s/full/%d,%d/0/default.jpg", name, s.Width, s.Height), s)
		size(fmt.Sprintf("/iiif/2/%s/full/%d,/0/default.jpg", name, s.Width), wide(s))
	}
	set := iiif.TileSet{Width: info.Tiles[0].Width, Height: info.Tiles[0].Height, ScaleFactors: info.Tiles[0].ScaleFactors}
	if set.Height == 0 {
		set.Height = set.Width // Image API 3.0, 5.4.
	}
	asked := 0
	for _, factor := range set.ScaleFactors {
		columns, rows := set.Grid(img, factor)
		for i := range columns * rows {
			region, want, ok := set.Tile(img, factor, i%columns, i/columns)
			if !ok {
				t.Fatalf("no tile %d of factor %d", i, factor)
			}
			form := fmt.Sprintf("%d,%d,%d,%d", region.X, region.Y, region.Width, region.Height)
			size(fmt.Sprintf("/iiif/3/%s/%s/%d,%d/0/default.jpg", name, form, want.Width, want.Height), want)
			if factor > 1 {
				size(fmt.Sprintf("/iiif/2/%s/%s/%d,/0/default.jpg", name, form, want.Width), wide(want))
			}
			asked++
		}
	}
	if asked == 0 {
		t.Error("no tile is advertised")
	}
}

// TestPixels compares random regions of every sample with the picture that
// it must show: exactly for lossless kinds of 8 bits in sRGB, else within
// the sample's tolerance (R27 R28 R29 R96 R97 R98 R99).
func TestPixels(t *testing.T) {
	st := open(t, setup{dir: testimages.Dir(), set: map[string]string{"cache-dir": "off"}})
	c := direct(nil)
	t.Cleanup(c.CloseIdleConnections)
	exact := 0
	for _, f := range testimages.All() {
		if !f.Readable || f.Named() {
			continue
		}
		if f.Lossless && f.Tolerance == testimages.Exact && f.Bits <= 8 && f.ICC == "" {
			exact++
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, uint64(len(f.Name))))
			for page := range max(1, f.Pages) {
				want := f.Picture(page)
				id := identifier(f.Name)
				if f.Pages > 1 {
					id = identifier(fmt.Sprintf("%s;%d", f.Name, page+1))
				}
				got := st.picture(t, c, "/iiif/3/"+id+"/full/max/0/default.png")
				testimages.Equal(t, got, want, f.Tolerance)
				for range 3 {
					w, h := want.Rect.Dx(), want.Rect.Dy()
					x, y := random.IntN(w), random.IntN(h)
					r := image.Rect(x, y, x+1+random.IntN(w-x), y+1+random.IntN(h-y))
					part := st.picture(t, c, fmt.Sprintf("/iiif/3/%s/%d,%d,%d,%d/max/0/default.png", id, r.Min.X, r.Min.Y, r.Dx(), r.Dy()))
					// A part is what the whole shows there, whatever the codec lost.
					testimages.Equal(t, part, cut(got, r), testimages.Exact)
				}
			}
		})
	}
	if exact < 20 {
		t.Errorf("only %d samples were compared exactly", exact)
	}
}

// TestTurns compares each EXIF orientation under each mirroring and quarter
// turn with the picture turned by the test (R41 R76 R77 R99).
func TestTurns(t *testing.T) {
	st := open(t, setup{dir: testimages.Dir(), set: map[string]string{"cache-dir": "off"}})
	c := direct(nil)
	t.Cleanup(c.CloseIdleConnections)
	names := []string{"png-rgb.png", "tiff-orientation-6.tif"}
	for o := 1; o <= 8; o++ {
		names = append(names, fmt.Sprintf("jpeg-orientation-%d.jpg", o))
	}
	for _, name := range names {
		f, ok := testimages.Lookup(name)
		if !ok {
			t.Fatalf("no sample %s", name)
		}
		upright := f.Picture(0)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, c, http.MethodGet, st.url, "/iiif/3/"+name+"/info.json")
			if want := fmt.Sprintf(`"width":%d,"height":%d`, f.Width, f.Height); a.err != nil || !bytes.Contains(a.body, []byte(want)) {
				t.Errorf("info.json has not %s: %s", want, a.body)
			}
			for quarters := range 4 {
				for _, mirror := range []string{"", "!"} {
					got := st.picture(t, c, fmt.Sprintf("/iiif/3/%s/full/max/%s%d/default.png", name, mirror, 90*quarters))
					want := turned(upright, mirror != "", quarters)
					testimages.Equal(t, got, want, f.Tolerance)
					other := turned(upright, mirror == "", quarters)
					if d := testimages.Compare(want, other); d.Within(testimages.Tolerance{Max: 255, Mean: 3 * f.Tolerance.Mean}) {
						t.Errorf("the picture does not tell turns apart: %v", d)
					}
					// The region is cut from the upright picture, before the turn.
					r := image.Rect(10, 20, 90, 70)
					part := st.picture(t, c, fmt.Sprintf("/iiif/3/%s/10,20,80,50/max/%s%d/default.png", name, mirror, 90*quarters))
					loose := f.Tolerance
					loose.Mean *= 2 // Fewer pixels, of which more are lines.
					testimages.Equal(t, part, turned(cut(upright, r), mirror != "", quarters), loose)
				}
			}
		})
	}
}
