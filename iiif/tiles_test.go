package iiif

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Image API 3.0 and 2.1, implementation notes: tiles, and what viewers ask.

func TestTile(t *testing.T) {
	img := Image{Width: 1237, Height: 911}
	set := NewTileSet(img, Dimensions{256, 256})
	if want := []int{1, 2, 4, 8}; !slices.Equal(set.ScaleFactors, want) {
		t.Fatalf("R123: factors %v, want %v", set.ScaleFactors, want)
	}
	region, size, ok := set.Tile(img, 4, 1, 0)
	if got := fmt.Sprintf("%s/%d,%d", region, size.Width, size.Height); !ok || got != "1024,0,213,911/54,228" {
		t.Errorf("R162: %s, %t", got, ok)
	}
	for _, outside := range [][2]int{{-1, 0}, {0, -1}, {2, 0}, {0, 1}} {
		if _, _, ok := set.Tile(img, 4, outside[0], outside[1]); ok {
			t.Errorf("there is a tile at %v", outside)
		}
	}
	if columns, rows := set.Grid(img, 1); columns != 5 || rows != 4 {
		t.Errorf("grid of %d by %d tiles, want 5 by 4", columns, rows)
	}
}

func TestTileSetFactors(t *testing.T) {
	rows := []struct {
		requirement string
		img         Image
		tile        Dimensions
		want        []int
	}{
		{"R123 tiny", Image{Width: 1, Height: 1}, Dimensions{256, 256}, []int{1}},
		{"R123 exactly one tile", Image{Width: 256, Height: 256}, Dimensions{256, 256}, []int{1}},
		{"R123 a pixel more", Image{Width: 257, Height: 1}, Dimensions{256, 256}, []int{1, 2}},
		{"R168 last level of exactly one tile", Image{Width: 1024, Height: 1000}, Dimensions{256, 256}, []int{1, 2, 4}},
		{"R123 rounded up beyond a tile", Image{Width: 1025, Height: 10}, Dimensions{256, 256}, []int{1, 2, 4, 8}},
		{"R122 high tiles", Image{Width: 1000, Height: 1000}, Dimensions{1000, 100}, []int{1, 2, 4, 8, 16}},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			if got := NewTileSet(row.img, row.tile).ScaleFactors; !slices.Equal(got, row.want) {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}

// viewer computes tile requests as OpenSeadragon's IIIFTileSource does, in
// floating point and from the document alone.
type viewer struct {
	Width  float64  `json:"width"`
	Height float64  `json:"height"`
	Sizes  []extent `json:"sizes"`
	Tiles  []struct {
		Width        float64   `json:"width"`
		Height       float64   `json:"height"`
		ScaleFactors []float64 `json:"scaleFactors"`
	} `json:"tiles"`

	version Version
	// widthOnly makes the requests of OpenSeadragon 5 for version 2.
	widthOnly bool
}

type extent struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// wanted is a request and the size in pixels that the viewer will draw it at.
type wanted struct {
	params        string
	width, height float64
}

func (v viewer) requests() []wanted {
	tileWidth, tileHeight := v.Tiles[0].Width, v.Tiles[0].Height
	if tileHeight == 0 {
		tileHeight = tileWidth
	}
	maxLevel := int(math.Round(math.Log2(slices.Max(v.Tiles[0].ScaleFactors))))
	sizes := slices.Clone(v.Sizes)
	slices.SortStableFunc(sizes, func(a, b extent) int { return cmp.Compare(a.Width, b.Width) })
	var all []wanted
	for level := range maxLevel + 1 {
		scale := math.Pow(0.5, float64(maxLevel-level))
		levelWidth, levelHeight := math.Ceil(v.Width*scale), math.Ceil(v.Height*scale)
		if len(sizes) == maxLevel+1 {
			levelWidth, levelHeight = sizes[level].Width, sizes[level].Height
		}
		if levelWidth < tileWidth && levelHeight < tileHeight {
			all = append(all, wanted{"full/" + v.levelSize(levelWidth, levelHeight), levelWidth, levelHeight})
			continue
		}
		for x := 0.0; x < math.Ceil(levelWidth/tileWidth); x++ {
			for y := 0.0; y < math.Ceil(levelHeight/tileHeight); y++ {
				all = append(all, v.tile(x, y, math.Round(tileWidth/scale), math.Round(tileHeight/scale),
					min(tileWidth, levelWidth-x*tileWidth), min(tileHeight, levelHeight-y*tileHeight)))
			}
		}
	}
	return all
}

func (v viewer) tile(x, y, regionWidth, regionHeight, width, height float64) wanted {
	left, top := x*regionWidth, y*regionHeight
	regionWidth, regionHeight = min(regionWidth, v.Width-left), min(regionHeight, v.Height-top)
	region := fmt.Sprintf("%.0f,%.0f,%.0f,%.0f", left, top, regionWidth, regionHeight)
	if left == 0 && top == 0 && regionWidth == v.Width && regionHeight == v.Height {
		region = "full"
	}
	size := fmt.Sprintf("%.0f,%.0f", width, height)
	switch {
	case v.version == V2 && width == v.Width:
		size = "full"
	case v.version == V3 && width == v.Width && height == v.Height:
		size = "max"
	case v.widthOnly:
		size = fmt.Sprintf("%.0f,", width)
	}
	return wanted{region + "/" + size, width, height}
}

func (v viewer) levelSize(width, height float64) string {
	switch {
	case v.version == V2 && width == v.Width:
		return "full"
	case v.version == V2:
		return fmt.Sprintf("%.0f,", width)
	case width == v.Width && height == v.Height:
		return "max"
	}
	return fmt.Sprintf("%.0f,%.0f", width, height)
}

// exact tells whether the request names both sides of what it draws. 2.x
// viewers leave the height to the server, or ask for "full" as soon as the
// width is the image's.
func (w wanted) exact(v Version) bool {
	_, size, _ := strings.Cut(w.params, "/")
	return v == V3 || !strings.HasSuffix(size, ",") && size != "full"
}

func TestTilesAsViewersAsk(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 21))
	tiles := []Dimensions{{256, 256}, {512, 512}, {1024, 1024}, {512, 256}, {200, 300}}
	for range 2000 {
		img := Image{Width: 1 + random.IntN(4000), Height: 1 + random.IntN(4000)}
		switch random.IntN(8) {
		case 0:
			img.Width = 1 + random.IntN(20)
		case 1:
			img.Height = 1 + random.IntN(20)
		}
		tile := tiles[random.IntN(len(tiles))]
		lim := Limits{MaxWidth: max(img.Width, 4096), MaxHeight: max(img.Height, 4096)}
		for _, v := range both {
			info := NewInfo("https://example.org/I", img, []Dimensions{tile}, lim, nil)
			doc := viewer{version: v, widthOnly: v == V2 && random.IntN(2) == 0}
			if err := json.Unmarshal([]byte(document(t, info, v)), &doc); err != nil {
				t.Fatal(err)
			}
			checkViewer(t, doc, img, lim)
			checkSizes(t, info, v)
		}
		if t.Failed() {
			return
		}
	}
}

// checkViewer checks R74, R162, R163, R165, R166 and R168.
func checkViewer(t *testing.T, doc viewer, img Image, lim Limits) {
	t.Helper()
	for _, w := range doc.requests() {
		got, err := resolve(w.params+"/0/default.jpg", doc.version, img, lim)
		if err != nil {
			t.Errorf("R74 R166: version %d, image %v, %s: %v", doc.version, img, w.params, err)
			continue
		}
		if w.exact(doc.version) && (float64(got.Width) != w.width || float64(got.Height) != w.height) {
			t.Errorf("R163: version %d, image %v, %s: %dx%d, want %vx%v",
				doc.version, img, w.params, got.Width, got.Height, w.width, w.height)
		}
		if float64(got.Width) != w.width {
			t.Errorf("R164: version %d, image %v, %s: width %d, want %v", doc.version, img, w.params, got.Width, w.width)
		}
		checkFixpoint(t, got, doc.version, lim)
	}
}

// checkSizes checks R73 and R121.
func checkSizes(t *testing.T, info Info, v Version) {
	t.Helper()
	if len(info.Sizes) != len(info.Tiles[0].ScaleFactors) {
		t.Errorf("R121: image %v: sizes %v for factors %v", info.Image, info.Sizes, info.Tiles[0].ScaleFactors)
	}
	for _, s := range info.Sizes {
		request := fmt.Sprintf("full/%d,%d/0/default.jpg", s.Width, s.Height)
		if got, want := outcome(t, request, v, info.Image, info.Limits), fmt.Sprintf("%dx%d", s.Width, s.Height); got != want {
			t.Errorf("R73: image %v, %s: %s", info.Image, request, got)
		}
		if v != V2 {
			continue
		}
		got := mustResolve(t, fmt.Sprintf("full/%d,/0/default.jpg", s.Width), v, info.Image, info.Limits)
		if got.Width != s.Width {
			t.Errorf("R73: image %v, %d,: width %d", info.Image, s.Width, got.Width)
		}
	}
}

func TestTilesUnderTightLimits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 22))
	for range 500 {
		img := Image{Width: 1 + random.IntN(3000), Height: 1 + random.IntN(3000)}
		lim := Limits{MaxWidth: 50 + random.IntN(500), MaxHeight: 50 + random.IntN(500), MaxArea: 2500 + random.Int64N(100_000)}
		info := NewInfo("https://example.org/I", img, []Dimensions{{256, 256}}, lim, nil)
		set := info.Tiles[0]
		for _, factor := range set.ScaleFactors {
			columns, rows := set.Grid(img, factor)
			for _, at := range [][2]int{{0, 0}, {columns - 1, rows - 1}} {
				region, size, ok := set.Tile(img, factor, at[0], at[1])
				request := fmt.Sprintf("%s/%d,%d/0/default.jpg", region, size.Width, size.Height)
				want := fmt.Sprintf("%dx%d", size.Width, size.Height)
				if got := outcome(t, request, V3, img, lim); !ok || got != want {
					t.Errorf("R120: image %v, limits %+v, %s: %s", img, lim, request, got)
				}
			}
		}
		for _, s := range info.Sizes {
			request := fmt.Sprintf("full/%d,%d/0/default.jpg", s.Width, s.Height)
			if got := outcome(t, request, V3, img, lim); got != fmt.Sprintf("%dx%d", s.Width, s.Height) {
				t.Errorf("R120: image %v, limits %+v, %s: %s", img, lim, request, got)
			}
		}
	}
}
