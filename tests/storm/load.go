package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/iiifd/testimages"
)

const (
	viewers   = 8
	tilesEach = 4 // each second
	bots      = 8
	// patience is when a viewer gives a tile up.
	patience = 30 * time.Second
	// hanging is when a bot's request counts as one that hangs: the request
	// time-out, and as much again for the download.
	hanging = 2 * time.Minute
	// pause is a bot's after a refusal, whatever Retry-After says.
	pause = 250 * time.Millisecond
)

// outcomes gathers what became of requests. It is safe for use by several
// goroutines.
type outcomes struct {
	mu        sync.Mutex
	latencies []time.Duration
	counts    map[string]int
	bytes     int64
}

func newOutcomes() *outcomes { return &outcomes{counts: make(map[string]int)} }

func (o *outcomes) add(name string, took time.Duration, n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[name]++
	o.latencies = append(o.latencies, took)
	o.bytes += n
}

func (o *outcomes) quantile(q float64) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.latencies) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(o.latencies))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// share is the part of requests with a latency of at most d, in percent.
func (o *outcomes) share(d time.Duration) float64 {
	n := 0
	for _, l := range o.latencies {
		if l <= d {
			n++
		}
	}
	return percent(n, len(o.latencies))
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func (o *outcomes) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(o.counts)) {
		parts = append(parts, fmt.Sprintf("%s × %d", name, o.counts[name]))
	}
	return strings.Join(parts, ", ")
}

// tile is a random tile of the pyramid as a viewer asks for it: 256 pixels at one of the
// levels that cover the picture.
func tile(random *rand.Rand) string {
	side := 256 << random.IntN(5)
	x, y := side*random.IntN(width/side), side*random.IntN(height/side)
	return fmt.Sprintf("/iiif/3/%s/%d,%d,%d,%d/256,256/0/default.jpg", identifier(testimages.LargePyramid, random.IntN(names)), x, y, side, side)
}

// view lets the viewers ask for tiles of the pyramid at fixed times until ctx
// ends. Latency counts from the time at which a tile was due.
func view(ctx context.Context, base string) *outcomes {
	o := newOutcomes()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	every := time.Second / tilesEach
	began := time.Now()
	for v := range viewers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(v), uint64(began.UnixNano())))
			for i := 0; ; i++ {
				due := began.Add(time.Duration(i)*every + time.Duration(v)*every/viewers)
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(due)):
				}
				path := tile(random)
				wg.Go(func() {
					name, n := fetch(context.WithoutCancel(ctx), client, base+path, fmt.Sprintf("10.0.0.%d", v), fmt.Sprintf("v%d-%d", v, i))
					o.add(name, time.Since(due), n)
				})
			}
		})
	}
	wg.Wait()
	return o
}

// fetch asks for something and reads it to its end. The name of the outcome
// is "200", "200 cut", a status and a code, or "error".
func fetch(ctx context.Context, c *http.Client, url, client, id string) (string, int64) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "error", 0
	}
	req.Header.Set("X-Forwarded-For", client)
	req.Header.Set("X-Request-Id", id)
	resp, err := c.Do(req)
	if err != nil {
		return failure(ctx, err), 0
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var problem struct{ Code string }
		_ = json.NewDecoder(resp.Body).Decode(&problem) // Without a code it is judged as one without.
		name := strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", problem.Code))
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); resp.StatusCode == http.StatusServiceUnavailable && (err != nil || seconds < 1) {
			name += " without Retry-After"
		}
		return name, 0
	}
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		if ctx.Err() != nil {
			return failure(ctx, err), n
		}
		return "200 cut", n
	}
	return "200", n
}

// failure names an error of a request.
func failure(ctx context.Context, err error) string {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errOver) {
		return "over" // The storm ended first.
	}
	if strings.Contains(err.Error(), "Timeout") || strings.Contains(err.Error(), "deadline") {
		return "hangs"
	}
	return "error"
}

var errOver = errors.New("the storm is over")

// crawl lets the bots loop on whole pictures until ctx ends.
func crawl(ctx context.Context, base string, kinds []testimages.LargeKind) *outcomes {
	o := newOutcomes()
	client := &http.Client{Timeout: hanging, Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	for b := range bots {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				kind, n := kinds[(b+i)%len(kinds)], (2*b+i)%names
				began := time.Now()
				url := base + "/iiif/3/" + identifier(kind, n) + "/full/max/0/default.jpg"
				name, bytes := fetch(ctx, client, url, fmt.Sprintf("10.0.1.%d", b), fmt.Sprintf("b%d-%d", b, i))
				if name == "over" {
					return
				}
				if name == "200" {
					name = "200 " + string(kind)
				} else {
					select {
					case <-ctx.Done():
					case <-time.After(pause):
					}
				}
				o.add(name, time.Since(began), bytes)
			}
		})
	}
	wg.Wait()
	return o
}
