package server_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// alone starts a server whose only picture, big.png, is what another answered
// for the whole image: it knows nothing of the original.
func alone(t *testing.T, view answer) *stand {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "big.png"), view.body, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, setup{dir: dir})
}

// attempts are requests that would yield more of an image of 1000×800 than
// its view, in shapes that both versions of the API know, or only one.
var attempts = []string{
	"full/max/0/default.png", "full/full/0/default.png", "full/^max/0/default.png", "full/1000,/0/default.png", "full/^1000,/0/default.png",
	"full/1000,800/0/default.png", "full/,800/0/default.png", "full/!1000,1000/0/default.png", "full/^!1000,1000/0/default.png", "full/pct:100/0/default.png",
	"full/pct:400/0/default.png", "full/^pct:400/0/default.png", "full/max/0/default.jpg", "full/max/0/default.webp", "full/max/90/default.png",
	"full/max/!180/gray.png", "full/^500,400/270/color.png", "square/max/0/default.png", "square/^800,800/90/default.png",
	"0,0,100,80/^1000,800/0/default.png", "0,0,50,40/1000,800/0/default.png", "0,0,25,20/^1000,/0/default.png", "60,40,7,5/^700,500/0/default.png",
	"500,400,500,400/max/0/default.png", "0,0,256,256/max/0/default.png", "64,64,64,64/^256,256/0/default.png",
	"pct:0,0,100,100/^1000,/0/default.png", "pct:3.7,3.7,5,5/^100,/0/default.png", "pct:90,90,20,20/^200,/0/default.png", "pct:0.01,0.01,0.01,0.01/^100,100/0/default.png",
}

// TestRestrictedImagesCannotBeRebuilt holds each attempt on a restricted
// image against a server that never had the original, for a size, a bare
// "restrict", and a size with a watermark.
func TestRestrictedImagesCannotBeRebuilt(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), scripts: map[string]string{"init.lua": byCookie}})
	for kind, size := range map[string]image.Point{"restrict": {100, 80}, "word": {128, 102}, "both": {100, 80}} {
		view := st.get(t, "/iiif/3/big.png/full/max/0/default.png", "Cookie: kind="+kind)
		if m := picture(t, view); m.Bounds().Size() != size {
			t.Fatalf("%s shows %v", kind, m.Bounds())
		}
		reference := alone(t, view)
		for _, params := range attempts {
			for mount, like := range map[string]string{"/iiif/3": "/iiif/3", "/iiif/2": "/iiif/2", "/internal/pictures": "/iiif/3"} {
				free := st.get(t, mount+"/big.png/"+params, "Cookie: kind=allow") // Fills what caches there are.
				got := st.get(t, mount+"/big.png/"+params, "Cookie: kind="+kind)
				want := reference.get(t, like+"/big.png/"+params)
				if got.StatusCode != want.StatusCode {
					t.Errorf("%s %s %s: %d, without an original %d", kind, mount, params, got.StatusCode, want.StatusCode)
					continue
				}
				if want.StatusCode != http.StatusOK {
					continue
				}
				if free.StatusCode == http.StatusOK && bytes.Equal(free.body, got.body) {
					t.Errorf("%s %s %s: the same bytes as for everybody", kind, mount, params)
				}
				if filepath.Ext(params) == ".webp" {
					continue
				}
				if d, most := difference(picture(t, got), picture(t, want)); kind != "both" && (d > 1.5 || most > 24) || d > 8 {
					t.Errorf("%s %s %s tells more than the reduced picture: mean %.2f, most %d", kind, mount, params, d, most)
				}
			}
		}
	}
}

// TestMarksCannotBeAvoided: no region, size, rotation or format of an image
// with a watermark comes without its part of that.
func TestMarksCannotBeAvoided(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), scripts: map[string]string{"init.lua": byCookie}})
	for marked, free := range map[string]string{"marked": "allow", "both": "restrict"} {
		for _, params := range attempts {
			if filepath.Ext(params) == ".webp" {
				continue
			}
			for _, mount := range []string{"/iiif/3", "/iiif/2"} {
				with := st.get(t, mount+"/big.png/"+params, "Cookie: kind="+marked)
				without := st.get(t, mount+"/big.png/"+params, "Cookie: kind="+free)
				if with.StatusCode != without.StatusCode {
					t.Errorf("%s %s %s: %d, without the mark %d", marked, mount, params, with.StatusCode, without.StatusCode)
					continue
				}
				if with.StatusCode != http.StatusOK {
					continue
				}
				if d, _ := difference(picture(t, with), picture(t, without)); d < 2 {
					t.Errorf("%s %s %s has no mark: mean difference %.2f", marked, mount, params, d)
				}
			}
		}
	}
}

// TestTilesOfARestrictedImage puts a picture together from enlarged tiles: it
// must come no nearer to the original than the view, enlarged as a whole.
func TestTilesOfARestrictedImage(t *testing.T) {
	st := open(t, setup{dir: accessCases(t), scripts: map[string]string{"init.lua": byCookie}})
	get := func(kind, params string) image.Image {
		return picture(t, st.get(t, "/iiif/3/big.png/"+params+"/0/default.png", "Cookie: kind="+kind))
	}
	built := image.NewNRGBA(image.Rect(0, 0, 1000, 800))
	for y := 0; y < 80; y += 20 {
		for x := 0; x < 100; x += 20 {
			tile := get("restrict", fmt.Sprintf("%d,%d,20,20/^200,200", x, y))
			draw.Draw(built, image.Rect(x*10, y*10, x*10+200, y*10+200), tile, image.Point{}, draw.Src)
		}
	}
	original := get("allow", "full/max")
	view := alone(t, st.get(t, "/iiif/3/big.png/full/max/0/default.png", "Cookie: kind=restrict"))
	enlarged := picture(t, view.get(t, "/iiif/3/big.png/full/^1000,800/0/default.png"))
	fromTiles, _ := difference(built, original)
	fromView, _ := difference(enlarged, original)
	if fromTiles < 0.95*fromView {
		t.Errorf("mean difference from the original: of the tiles %.2f, of the enlarged view %.2f", fromTiles, fromView)
	}
}

// TestOtherNamesOfAFile: a rule about identifiers is not avoided by elements
// that a path may have and that lead nowhere or back.
func TestOtherNamesOfAFile(t *testing.T) {
	dir := accessCases(t)
	if err := os.Mkdir(filepath.Join(dir, "closed"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "big.png"), filepath.Join(dir, "closed", "big.png")); err != nil {
		t.Fatal(err)
	}
	st := open(t, setup{dir: dir, scripts: map[string]string{"init.lua": `
		function pre_flight(prefix, identifier, cookie)
			if identifier:find('^closed/') then return 'deny' end
			if identifier == 'ark://1/../x' then return 'allow', config.imgroot .. '/small.png' end
			return 'allow', config.imgroot .. '/' .. identifier
		end
		function file_pre_flight(path, cookie)
			if path:find(config.imgroot .. '/closed/', 1, true) then return 'deny' end
			return 'allow', path
		end`}})
	for _, id := range []string{
		"closed/big.png", "./closed/big.png", "/closed/big.png", "//closed/big.png", "none/../closed/big.png", "closed/../closed/big.png",
		"./closed/./big.png", "..//" + filepath.Base(dir) + "/closed/big.png", "./closed/big.png;1", "./closed//big.png", "./closed/big.png/",
	} {
		for _, rest := range []string{"full/50,/0/default.png", "info.json", "knora.json", "file"} {
			for _, mount := range []string{"/iiif/3", "/iiif/2"} {
				path := mount + "/" + url.PathEscape(id) + "/" + rest
				if a := st.get(t, path); a.StatusCode != http.StatusNotFound && a.StatusCode != http.StatusUnauthorized && a.StatusCode != http.StatusBadRequest {
					t.Errorf("%s: %d", path, a.StatusCode)
				}
			}
		}
	}
	for _, id := range []string{"small.png", "ark://1/../x"} { // A hook may still give such names a meaning.
		if a := st.get(t, "/iiif/3/"+url.PathEscape(id)+"/full/10,/0/default.png"); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", id, a.StatusCode, a.body)
		}
	}
}
