package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/iiifd/testimages"
)

const (
	// repose is how long a server is left alone before its memory is judged.
	repose = time.Minute
	// mostKept is by how many MiB its memory may then be above what it was
	// before the first request.
	mostKept = 64
)

// rest sends requests of all sorts and looks what the server keeps of the
// memory that they took.
func (s *stage) rest(ctx context.Context) error {
	_, p, end, err := s.serve(ctx, "rest")
	if err != nil {
		return err
	}
	defer end()
	_, _ = p.idle(ctx, 10*time.Second)
	before := p.memory("VmRSS:")
	asked := s.mixed(ctx, p.base)
	busiest := p.memory("VmHWM:")
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(repose):
	}
	after := p.memory("VmRSS:")
	s.report.note("**rest at %s** (load %s): %d requests, %v", s.limit, load(), s.requests, asked)
	s.report.check(asked.counts["error"]+asked.counts["hangs"]+asked.counts["200 cut"] == 0, "rest at %s: no request was lost", s.limit)
	s.report.check(before > 0 && after-before < mostKept<<20, "rest at %s: resident %d MiB before, %d at most, %d after %d requests and %v, allowed %d more",
		s.limit, before>>20, busiest>>20, after>>20, s.requests, repose, mostKept)
	return p.terminate(30 * time.Second)
}

// mixed sends the requests from as many clients as there are viewers.
func (s *stage) mixed(ctx context.Context, base string) *outcomes {
	o := newOutcomes()
	client := &http.Client{Timeout: hanging, Transport: &http.Transport{MaxIdleConnsPerHost: viewers, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	for v := range viewers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(v), 10_000))
			for i := v; i < s.requests && ctx.Err() == nil; i += viewers {
				began := time.Now()
				name, n := fetch(ctx, client, base+request(random), fmt.Sprintf("10.0.2.%d", v), fmt.Sprintf("r%d-%d", v, i))
				o.add(name, time.Since(began), n)
			}
		})
	}
	wg.Wait()
	return o
}

// request is one of any sort, the cheap ones more often: tiles,
// thumbnails, information, crops in every format and turn, and now and then a
// crop of the baseline JPEG, which has to be read down to it.
func request(random *rand.Rand) string {
	kind := testimages.LargePyramid
	switch n := random.IntN(1000); {
	case n < 3:
		kind = testimages.LargeJPEG
	case n < 300:
		kind = testimages.LargeTiledJP2
	}
	image := "/iiif/3/" + identifier(kind, random.IntN(names))
	side := 256 << random.IntN(4)
	x, y := random.IntN(width-side), random.IntN(height-side)
	formats := []string{"jpg", "png", "webp", "tif", "gif", "jp2", "avif", "pdf"}
	switch n := random.IntN(100); {
	case kind == testimages.LargeJPEG:
		return fmt.Sprintf("%s/%d,%d,%d,%d/512,/0/default.jpg", image, x, y/8, side, side)
	case n < 50:
		_, crop, _ := strings.Cut(strings.TrimPrefix(tile(random), "/iiif/3/"), "/")
		return image + "/" + crop
	case n < 65:
		return image + "/full/!200,200/0/default.jpg"
	case n < 75:
		return image + "/info.json"
	case n < 90:
		return fmt.Sprintf("%s/%d,%d,%d,%d/!400,400/%d/gray.%s", image, x, y, side, side, 90*random.IntN(4), formats[random.IntN(len(formats))])
	case n < 98:
		return fmt.Sprintf("%s/%d,%d,%d,%d/max/0/default.%s", image, x, y, side, side, formats[random.IntN(len(formats))])
	}
	return image + "/full/1024,/0/default.jpg"
}
