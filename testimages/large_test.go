package testimages_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/testimages"
)

// TestLargeFilesAreWhole makes every kind at sizes on which nothing divides
// evenly and decodes each fully with libvips' tool, strictly.
func TestLargeFilesAreWhole(t *testing.T) {
	for _, tool := range []string{"vips", "cjpeg", "opj_compress"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	kinds := []testimages.LargeKind{
		testimages.LargePyramid, testimages.LargeStrips, testimages.LargePNG, testimages.LargeJPEG,
		testimages.LargeProgressive, testimages.LargeTiledJP2, testimages.LargeUntiledJP2,
	}
	sizes := []image.Point{{X: 1501, Y: 1303}, {X: 2048, Y: 1024}, {X: 5003, Y: 1201}}
	dir := t.TempDir()
	for _, kind := range kinds {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s %v", kind, size), func(t *testing.T) {
				path, err := testimages.MakeLarge(t.Context(), dir, kind, size.X, size.Y)
				if err != nil {
					t.Fatal(err)
				}
				out := filepath.Join(dir, "out.png")
				msg, err := exec.CommandContext(t.Context(), "vips", "copy", path+failOn(kind), out+"[compression=1]").CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, msg)
				}
				img := decode(t, out)
				if got := img.Bounds().Size(); got != size {
					t.Errorf("size %v, want %v", got, size)
				}
				if n := distinctColours(img); n < 1000 {
					t.Errorf("only %d colours: no picture", n)
				}
			})
		}
	}
}

// failOn makes libvips fail at the first thing wrong.
func failOn(kind testimages.LargeKind) string {
	if strings.HasSuffix(string(kind), ".jp2") {
		return "" // this loader knows no such option and always fails
	}
	return "[fail-on=warning]"
}

// distinctColours counts colours on a coarse grid with the corners.
func distinctColours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 7 {
		for x := b.Min.X; x < b.Max.X; x += 7 {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
		}
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
