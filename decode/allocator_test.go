package decode

import (
	"os"
	"strings"
	"testing"

	"github.com/davidbyttow/govips/v2/vips"
)

// Whatever starts the program, jemalloc is the process' malloc and set up.
func TestAllocatorIsJemalloc(t *testing.T) {
	a := ReadAllocator()
	if a.Version == "" || !a.Background {
		t.Errorf("jemalloc %q, background threads %t", a.Version, a.Background)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(maps), "jemalloc") {
		t.Error("libjemalloc is not mapped")
	}
	before := ReadAllocator().Allocated
	image, err := vips.NewImageFromMemory(make([]byte, 4<<20), 2048, 2048, 1, vips.BandFormatUchar, vips.InterpretationBW)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	if grown := ReadAllocator().Allocated - before; grown < 4<<20 {
		t.Errorf("an image of 4 MiB in libvips grew jemalloc by %d bytes", grown)
	}
}
