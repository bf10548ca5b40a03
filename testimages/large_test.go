package testimages_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/photo"
)

// TestLargeFilesAreWhole makes every kind at sizes on which little divides
// evenly, decodes each fully with libvips' tool, strictly, and compares it
// with the picture it was made of.
func TestLargeFilesAreWhole(t *testing.T) {
	for _, tool := range []string{"vips", "cjpeg", "opj_compress"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	const band, tile = 592, 1024 // what files repeat
	whole := func(x, y, _, _ int) (int, int) { return x, y }
	bands := func(x, y, _, _ int) (int, int) { return x, y % band }
	tiles := func(x, y, w, h int) (int, int) { return tileSource(x, w, tile), tileSource(y, h, tile) }
	for _, c := range []struct {
		kind   testimages.LargeKind
		width  int
		height int
		// source tells where in the picture a pixel comes from.
		source func(x, y, w, h int) (int, int)
		mean   float64
	}{
		{testimages.LargePyramid, 1501, 1303, whole, 5},
		{testimages.LargeJPEG, 1501, 1303, whole, 5},
		{testimages.LargeProgressive, 1501, 1303, bands, 5},
		{testimages.LargeStrips, 2501, 1303, bands, 0},
		{testimages.LargePNG, 2501, 1303, bands, 0},
		{testimages.LargeTiledJP2, 1501, 1303, tiles, 5},
		{testimages.LargeTiledJP2, 2048, 1024, tiles, 5},
		{testimages.LargeTiledJP2, 5003, 1201, tiles, 5},
		{testimages.LargeUntiledJP2, 1501, 1303, nil, 0},
		{testimages.LargeUntiledJP2, 5003, 1201, nil, 0},
	} {
		t.Run(fmt.Sprintf("%s %d×%d", c.kind, c.width, c.height), func(t *testing.T) {
			pix := decodeLarge(t, c.kind, c.width, c.height)
			if c.source == nil {
				if n := distinctColours(pix); n < 1000 {
					t.Errorf("only %d colours: no picture", n)
				}
				return
			}
			want := photo.New().Rows(5003, 1303)
			var sum float64
			for y := range c.height {
				for x := range c.width {
					sx, sy := c.source(x, y, c.width, c.height)
					for k := range 3 {
						sum += math.Abs(float64(pix[(y*c.width+x)*3+k]) - float64(want[(sy*5003+sx)*3+k]))
					}
				}
			}
			if mean := sum / float64(len(pix)); mean > c.mean {
				t.Errorf("mean difference %.2f, want at most %v", mean, c.mean)
			} else {
				t.Logf("mean difference %.2f", mean)
			}
		})
	}
}

// tileSource tells where a column comes from that lies in a repeated tile:
// three in turn, then the narrow last one.
func tileSource(x, width, tile int) int {
	whole := width / tile
	if at := x / tile; at < whole {
		return at%min(whole, 3)*tile + x%tile
	}
	return min(whole, 3)*tile + x%tile
}

// decodeLarge makes a file and returns its samples.
func decodeLarge(t *testing.T, kind testimages.LargeKind, width, height int) []byte {
	t.Helper()
	dir := t.TempDir()
	path, err := testimages.MakeLarge(t.Context(), dir, kind, width, height)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.ppm")
	msg, err := exec.CommandContext(t.Context(), "vips", "copy", path+failOn(kind), out).CombinedOutput()
	if err != nil || len(msg) > 0 {
		t.Fatalf("%v: %s", err, msg)
	}
	ppm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	pix := ppm[len(ppm)-min(len(ppm), width*height*3):]
	if !bytes.Contains(ppm[:len(ppm)-len(pix)], fmt.Appendf(nil, "%d %d\n", width, height)) {
		t.Fatalf("decodes to %q…", ppm[:min(len(ppm), 80)])
	}
	return pix
}

// failOn makes libvips fail at the first thing wrong.
func failOn(kind testimages.LargeKind) string {
	if strings.HasSuffix(string(kind), ".jp2") {
		return "" // this loader knows no such option and always fails
	}
	return "[fail-on=warning]"
}

func distinctColours(pix []byte) int {
	seen := map[[3]byte]bool{}
	for i := 0; i+3 <= len(pix); i += 3 {
		seen[[3]byte(pix[i:])] = true
	}
	return len(seen)
}

// TestMakeLargeKeepsFiles: the second time the file is only found.
func TestMakeLargeKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	path, err := testimages.MakeLarge(t.Context(), dir, testimages.LargePNG, 300, 200)
	if err != nil {
		t.Fatal(err)
	}
	mark := []byte("kept")
	if err := os.WriteFile(path, mark, 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := testimages.MakeLarge(t.Context(), dir, testimages.LargePNG, 300, 200)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(again); err != nil || !bytes.Equal(got, mark) {
		t.Errorf("made again: %v", err)
	}
}

func TestMakeLargeRefuses(t *testing.T) {
	if _, err := testimages.MakeLarge(t.Context(), t.TempDir(), "nothing.xyz", 100, 100); err == nil {
		t.Error("an unknown kind: no error")
	}
	if _, err := testimages.MakeLarge(t.Context(), t.TempDir(), testimages.LargePNG, 1, 1); err == nil {
		t.Error("one pixel: no error")
	}
}
