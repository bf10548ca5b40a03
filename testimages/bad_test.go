package testimages_test

import (
	"bytes"
	"image"
	"math/bits"
	"os"
	"slices"
	"testing"

	"example.com/iiifd/testimages"
)

func TestTruncations(t *testing.T) {
	path := testimages.Path(t, "png-rgb.png")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cuts, err := testimages.Truncations(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(cuts) < 20 {
		t.Errorf("only %d cuts", len(cuts))
	}
	for _, c := range cuts {
		if len(c.Data) >= len(whole) || !bytes.HasPrefix(whole, c.Data) {
			t.Errorf("%s: %d bytes are no true beginning of the file's %d", c.Name, len(c.Data), len(whole))
		}
	}
	if got := len(cuts[len(cuts)-1].Data); got != len(whole)-1 {
		t.Errorf("the longest has %d bytes, want %d", got, len(whole)-1)
	}
}

func TestFlips(t *testing.T) {
	path := testimages.Path(t, "png-rgb.png")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, err := testimages.Flips(path, 7, 32)
	if err != nil {
		t.Fatal(err)
	}
	again, err := testimages.Flips(path, 7, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range first {
		turned := 0
		for k := range whole {
			turned += bits.OnesCount8(whole[k] ^ f.Data[k])
		}
		if want := 1 + i%8; turned != want {
			t.Errorf("%s: %d bits differ, want %d", f.Name, turned, want)
		}
		if !slices.Equal(f.Data, again[i].Data) {
			t.Errorf("%s: another time other bits", f.Name)
		}
	}
}

// TestHostileFilesHoldNoPicture: headers may be right, pixels are not there.
func TestHostileFilesHoldNoPicture(t *testing.T) {
	for _, h := range testimages.Hostile() {
		if len(h.Data) > 1000 {
			t.Errorf("%s: %d bytes, which is not small", h.Name, len(h.Data))
		}
		config, _, err := image.DecodeConfig(bytes.NewReader(h.Data))
		if err == nil && config.Width*config.Height > 1<<20 {
			continue // decoding would take what the header promises
		}
		if _, _, err := image.Decode(bytes.NewReader(h.Data)); err == nil && h.Name != "tiff whose directory follows itself" {
			t.Errorf("%s: decodes", h.Name)
		}
	}
}
