package decode

import (
	"image"
	"testing"

	"example.com/iiifd/testimages"
)

// TestPiecesOfTiledJP2Meet compares a picture that is decoded tile by tile
// with areas of it whose edges cut through tiles, so that bands begin above
// the area and pieces end within it.
func TestPiecesOfTiledJP2Meet(t *testing.T) {
	e := startEngine(t, func(c *Config) { c.ShortPath = false })
	o, _ := largeObject(t, testimages.LargeTiledJP2, 3000, 2100)
	whole := rendered(t, e, o, "full/max/0/default", "png")
	for _, c := range []struct {
		params string
		area   image.Rectangle
	}{
		{"7,5,2990,2090/max/0/default", image.Rect(7, 5, 2997, 2095)},
		{"1024,1024,1024,1024/max/0/default", image.Rect(1024, 1024, 2048, 2048)},
		{"900,1000,300,100/max/0/default", image.Rect(900, 1000, 1200, 1100)},
		{"2047,1023,2,2/max/0/default", image.Rect(2047, 1023, 2049, 1025)},
		{"1500,0,37,2100/max/0/default", image.Rect(1500, 0, 1537, 2100)},
	} {
		got := rendered(t, e, o, c.params, "png")
		if got.Bounds().Size() != c.area.Size() {
			t.Errorf("%s: %v", c.params, got.Bounds())
			continue
		}
		// The wavelets of a part round otherwise than those of the whole.
		if d := furthest(got, whole, c.area.Min); d > 2 {
			t.Errorf("%s: a sample is off by %d", c.params, d)
		}
	}
}

// furthest is the largest difference between samples of part, in 8 bits, and
// those of whole from at on.
func furthest(part, whole image.Image, at image.Point) int {
	most, b := 0, part.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, bl, _ := part.At(b.Min.X+x, b.Min.Y+y).RGBA()
			wr, wg, wb, _ := whole.At(at.X+x, at.Y+y).RGBA()
			for _, d := range [3]int{int(r) - int(wr), int(g) - int(wg), int(bl) - int(wb)} {
				most = max(most, d/257, -d/257)
			}
		}
	}
	return most
}
