package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// cell names a measurement.
type cell struct {
	server, workload string
	clients          int
}

// result is what a server did in a measurement.
type result struct {
	latencies []float64 // milliseconds, of good answers
	failed    int
	seconds   float64
	cpu       float64 // seconds of the server's processes
	rss       int64   // peak, bytes
	bytes     int64
	firstFail string
}

func (r *result) add(o *result) {
	r.latencies = append(r.latencies, o.latencies...)
	r.failed += o.failed
	r.seconds += o.seconds
	r.cpu += o.cpu
	r.rss = max(r.rss, o.rss)
	r.bytes += o.bytes
	if r.firstFail == "" {
		r.firstFail = o.firstFail
	}
}

func (r *result) rate() float64 { return float64(len(r.latencies)) / r.seconds }

func (r *result) cpuMillis() float64 {
	return 1000 * r.cpu / float64(max(1, len(r.latencies)))
}

func (r *result) quantile(q float64) float64 {
	if len(r.latencies) == 0 {
		return 0
	}
	slices.Sort(r.latencies)
	return r.latencies[min(len(r.latencies)-1, int(q*float64(len(r.latencies))))]
}

// drive sends requests from several clients, each as soon as its last answer
// is complete, for a span; what is under way then is waited for.
func drive(ctx context.Context, s *server, list []request, clients int, span time.Duration) *result {
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 90 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	r := &result{}
	// The first answers of a server to a sort of requests open files.
	for range clients {
		_, _ = fetch(ctx, client, s, list[int(next.Add(1)-1)%len(list)])
	}
	s.resetPeak()
	cpu, start := s.cpuSeconds(), time.Now()
	for range clients {
		wg.Go(func() {
			for time.Since(start) < span && ctx.Err() == nil {
				q := list[int(next.Add(1)-1)%len(list)]
				began := time.Now()
				n, err := fetch(ctx, client, s, q)
				took := time.Since(began)
				mu.Lock()
				r.bytes += n
				if err != nil {
					r.failed++
					if r.firstFail == "" {
						r.firstFail = q.id + "/" + q.params + ": " + err.Error()
					}
				} else {
					r.latencies = append(r.latencies, took.Seconds()*1000)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	r.seconds = time.Since(start).Seconds()
	r.cpu, r.rss = s.cpuSeconds()-cpu, s.peak()
	return r
}

// fetch gets one answer whole and returns its length.
func fetch(ctx context.Context, client *http.Client, s *server, q request) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address(q), http.NoBody)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	switch {
	case err != nil:
		return n, err
	case resp.StatusCode != http.StatusOK:
		return n, fmt.Errorf("status %d", resp.StatusCode)
	case n < 100:
		return n, fmt.Errorf("%d bytes", n)
	}
	return n, nil
}
