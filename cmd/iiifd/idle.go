package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"example.com/iiifd/decode"
)

const (
	// idleSpan is how long little must have happened before memory is given
	// back.
	idleSpan = 15 * time.Second
	// idleBytes is what the Go heap may be asked for in that time: health
	// checks and a scrape of metrics take less.
	idleBytes = 4 << 20
)

// janitor gives free memory back to the system, once, when the server has
// come to rest: garbage that no collection was due for, and free pages that
// the runtime's scavenger would keep for minutes.
type janitor struct {
	end  context.CancelFunc
	done sync.WaitGroup
}

// startJanitor begins to look.
func startJanitor() *janitor {
	ctx, end := context.WithCancel(context.Background())
	j := &janitor{end: end}
	j.done.Go(func() {
		tidy(ctx, allocatedBytes, func() {
			debug.FreeOSMemory()
			decode.ReturnFree()
		})
	})
	return j
}

// stop ends it and waits for it.
func (j *janitor) stop() {
	if j != nil {
		j.end()
		j.done.Wait()
	}
}

// tidy calls giveBack whenever a span in which much was allocated is followed
// by one in which little was, until ctx ends.
func tidy(ctx context.Context, allocated func() uint64, giveBack func()) {
	tick := time.NewTicker(idleSpan)
	defer tick.Stop()
	last, untidy := allocated(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		switch calm := now-last < idleBytes; {
		case !calm:
			untidy = true
		case untidy:
			giveBack()
			untidy = false
			now = allocated()
		}
		last = now
	}
}

// allocatedBytes is what the Go heap has ever been asked for.
func allocatedBytes() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}
