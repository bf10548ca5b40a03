package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestTidy shows that memory is given back once after work, and not during it
// nor without any.
func TestTidy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		var allocated atomic.Uint64
		given := 0
		go tidy(ctx, allocated.Load, func() { given++ })
		for i, step := range []struct {
			bytes uint64
			given int
		}{{1 << 20, 0}, {1 << 20, 0}, {64 << 20, 0}, {64 << 20, 0}, {1 << 20, 1}, {0, 1}, {5 << 20, 1}, {1 << 20, 2}, {1 << 20, 2}} {
			allocated.Add(step.bytes)
			time.Sleep(idleSpan)
			synctest.Wait()
			if given != step.given {
				t.Errorf("after span %d: given back %d times, want %d", i, given, step.given)
			}
		}
	})
}
