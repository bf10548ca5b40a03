//go:build e2e

package lua

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// TestSlowScripts reports how fast tiles and info.json are answered while
// slow scripts hold every full permit, beside the times of an idle server:
// scripts that wait, and scripts that compute. A further script is told to
// come back.
func TestSlowScripts(t *testing.T) {
	begun, release := make(chan struct{}, 8), make(chan struct{})
	stalled := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		if r.URL.Path == "/begun" {
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer stalled.Close()
	defer close(release)
	s := serve(t, "", map[string]string{
		"waits":    "server.http('GET', '" + stalled.URL + "', {}, 29000)",
		"computes": "server.http('GET', '" + stalled.URL + "/begun') while true do end",
	}, "--nthreads=4", "--queue-timeout-full=1s", "--lua-timeout=30s", "--request-timeout=60s", "--lua-http-allow=127.0.0.1", "--lua-slots=4")
	next := 0
	measure := func(how string, n int) {
		for _, what := range []string{"tiles", "info.json"} {
			times := make([]time.Duration, n)
			for i := range times {
				path := "/iiif/3/a.jpg/info.json"
				if what == "tiles" {
					next++
					path = tile(next)
				}
				began := time.Now()
				if status, err := s.fetch(path); status != http.StatusOK || err != nil {
					t.Errorf("%s: %s: %d %v", how, path, status, err)
				}
				times[i] = time.Since(began)
			}
			slices.Sort(times)
			t.Logf("%-22s %-9s median %v, 99 of 100 within %v", how, what, times[n/2].Round(10*time.Microsecond), times[n*99/100].Round(10*time.Microsecond))
		}
	}
	measure("(first requests)", 50)
	measure("idle", 300)
	for _, name := range []string{"waits", "computes"} {
		left := make(chan string, 2)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go s.hold(ctx, "/"+name, left)
			<-begun
		}
		refused, err := s.get("/" + name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, refused.Body)
		_ = refused.Body.Close()
		if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" {
			t.Errorf("a third script that %s: %d %v", name, refused.StatusCode, refused.Header)
		}
		measure("two scripts: "+name, 300)
		if len(left) != 0 {
			t.Errorf("a slow script ended early: %s", <-left)
		}
		cancel()
		for range 2 {
			<-left
		}
	}
}

// hold asks for a script until ctx ends, and tells how that ended.
func (s *server) hold(ctx context.Context, path string, ended chan<- string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
	if err != nil {
		ended <- err.Error()
		return
	}
	resp, err := s.client.Do(req)
	if err != nil {
		ended <- err.Error()
		return
	}
	_ = resp.Body.Close()
	ended <- resp.Status
}
