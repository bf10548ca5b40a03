package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/iiifd/testimages"
)

// TestTilesOfLargeFilesTakeLittle bounds what a tile of a file of 300
// megapixels takes, as growth of a fresh process. How deep the tile lies does
// not matter to the memory; the first ones take the least time.
func TestTilesOfLargeFilesTakeLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("makes files of hundreds of megapixels")
	}
	if _, err := exec.LookPath("vips"); err != nil {
		t.Skip("the vips command is not installed")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tiny := t.TempDir()
	for _, c := range []struct {
		kind   string
		params string
		most   int64
	}{
		{"tiff-strip-lzw", "7400,900,512,512/max/0/default.jpg", 48 * mib},
		{"png-rgb", "7400,900,512,512/max/0/default.jpg", 48 * mib},
		{"jp2-tiled-1024", "7400,8250,512,512/max/0/default.jpg", 32 * mib},
		{"jp2-tiled-1024", "7600,8100,512,512/max/0/default.png", 32 * mib},
	} {
		small, err := makeCorpus(t.Context(), tiny, []size{{100, 80}}, nil, c.kind)
		i := slices.IndexFunc(small, func(f sample) bool { return f.kind.name == c.kind })
		if err != nil || i < 0 {
			t.Fatalf("%s: %v, %v", c.kind, small, err)
		}
		f := small[i]
		f.path = testimages.Large(t, largeKinds[c.kind], testimages.Width300M, testimages.Height300M)
		r := runOne(t.Context(), program, single(f, c.params), time.Minute)
		if r.Refused != "" {
			t.Fatalf("%s %s: %s", filepath.Base(f.path), c.params, r.Refused)
		}
		if r.Real > c.most || !r.covered() {
			t.Errorf("%s %s took %d bytes, at most %d are allowed and %d were estimated", r.File, c.params, r.Real, c.most, r.Estimate)
		}
		t.Logf("%s %s: %.1f MiB, estimated %.1f", r.File, c.params, float64(r.Real)/mib, float64(r.Estimate)/mib)
	}
}
