package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
)

// A decode that cannot be stopped holds its permit, its fill and its source;
// the end of the process must not wait for it.
func TestStuckDecodeDoesNotHoldTheEnd(t *testing.T) {
	s := start(t, t.TempDir())
	s.cfg.Server.DrainTimeout = 10 * time.Millisecond
	lease, err := s.admission.Acquire(t.Context(), admission.Ask{Peak: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	began, freed, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, _, err := s.cache.Do(context.Background(), cache.Key{Object: "stuck", Text: "stuck"}, cache.Options{},
			func(ctx context.Context, _ *cache.Writer) error {
				close(began)
				<-freed
				return context.Cause(ctx)
			})
		if err == nil {
			t.Error("a fill that failed was answered")
		}
	}()
	<-began
	if err := s.close(t.Context()); !errors.Is(err, errStuck) {
		t.Errorf("close = %v, want %v", err, errStuck)
	}
	close(freed)
	lease.Release()
	s.stop(t)
	<-ended
}
