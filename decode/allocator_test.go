package decode

import (
	"context"
	"os"
	"strings"
	"sync"
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

// TestReturnFreeIsNotOutrun frees pictures while other threads give memory
// back all the time: none of it may be left.
func TestReturnFreeIsNotOutrun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for ctx.Err() == nil {
				ReturnFree()
			}
		})
	}
	defer others.Wait()
	defer stop()
	pixels := make([]byte, 4<<20)
	for range 40 {
		var pictures []*vips.ImageRef
		for range 8 {
			p, err := vips.NewImageFromMemory(pixels, 2048, 2048, 1, vips.BandFormatUchar, vips.InterpretationBW)
			if err != nil {
				t.Fatal(err)
			}
			pictures = append(pictures, p)
		}
		for _, p := range pictures {
			p.Close()
		}
		ReturnFree()
		a := ReadAllocator()
		if kept := a.Resident - a.Allocated; kept > 24<<20 {
			t.Fatalf("%d bytes of %d freed are still held", kept, 8*len(pixels))
		}
	}
}
