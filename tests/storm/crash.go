package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/iiifd/testimages"
)

// compared is how many answers are held against fresh ones.
const compared = 300

// crash kills the server again and again while it writes its cache, and then
// compares what the cache answers with what a server without one does.
func (s *stage) crash(ctx context.Context) error {
	dir, remove, err := s.scratch("crash")
	if err != nil {
		return err
	}
	defer remove()
	log := filepath.Join(dir, "log")
	var asked paths
	random := rand.New(rand.NewPCG(9, 9))
	for i := range s.kills {
		if err := s.crashOnce(ctx, dir, log, &asked, time.Duration(200+random.IntN(800))*time.Millisecond); err != nil {
			return fmt.Errorf("start %d: %w", i+1, err)
		}
	}
	made := len(asked.all)
	slices.Sort(asked.all)
	asked.all = slices.Compact(asked.all) // A second request for one path would be answered from memory.
	random.Shuffle(len(asked.all), func(i, j int) { asked.all[i], asked.all[j] = asked.all[j], asked.all[i] })
	sample := asked.all[:min(len(asked.all), compared)]

	cached, hits, err := s.answers(ctx, log, sample, "--cache-dir", filepath.Join(dir, "cache"))
	if err != nil {
		return err
	}
	fresh, none, err := s.answers(ctx, log, sample, "--cache-dir", "off")
	if err != nil {
		return err
	}
	different := 0
	for i := range sample {
		if len(cached[i]) == 0 || !bytes.Equal(cached[i], fresh[i]) {
			different++
		}
	}
	s.report.note("**crash at %s** (load %s): %d kills during %d answers; %d of %d compared answers came from the cache", s.limit, load(), s.kills, made, hits, len(sample))
	s.report.check(different == 0 && none == 0, "crash at %s: %d of %d answers differ from a fresh decode", s.limit, different, len(sample))
	s.report.check(hits > len(sample)/2, "crash at %s: the cache answers %d of %d", s.limit, hits, len(sample))
	return nil
}

// paths is what was asked for.
type paths struct {
	mu  sync.Mutex
	all []string
}

// crashOnce starts a server, lets it make tiles and some large pictures as
// fast as it can, and kills it.
func (s *stage) crashOnce(ctx context.Context, dir, log string, asked *paths, life time.Duration) error {
	g, err := newGroup(s.limit)
	if err != nil {
		return err
	}
	defer g.remove()
	p, err := s.start(ctx, g, log, "--cache-dir", filepath.Join(dir, "cache"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), uint64(time.Now().UnixNano())))
			for ctx.Err() == nil {
				path := tile(random)
				if w == 0 { // Answers that go through a spool file.
					path = fmt.Sprintf("/iiif/3/%s/0,0,%d,3000/max/0/default.png", identifier(testimages.LargePyramid, random.IntN(names)), 3000+random.IntN(500))
				}
				if name, _ := fetch(ctx, client, p.base+path, fmt.Sprintf("10.0.2.%d", w), "c"); name == "200" {
					asked.mu.Lock()
					asked.all = append(asked.all, path)
					asked.mu.Unlock()
				}
			}
		})
	}
	time.Sleep(life)
	p.kill()
	cancel(errOver)
	wg.Wait()
	return nil
}

// answers asks a new server for all paths, one after the other, and counts
// those that its cache answered.
func (s *stage) answers(ctx context.Context, log string, all []string, args ...string) (bodies [][]byte, hits int, err error) {
	g, err := newGroup(s.limit)
	if err != nil {
		return nil, 0, err
	}
	defer g.remove()
	p, err := s.start(ctx, g, log, args...)
	if err != nil {
		return nil, 0, err
	}
	defer p.kill()
	for _, path := range all {
		body, err := read(ctx, p.base+path)
		if err != nil {
			return nil, 0, err
		}
		bodies = append(bodies, body)
	}
	hits, err = p.metric(ctx, "iiifd_cache_hits_total")
	return bodies, hits, err
}

func read(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// metric is the sum of a metric's values.
func (p *process) metric(ctx context.Context, name string) (int, error) {
	text, err := read(ctx, p.operator+"/metrics")
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok && (rest[0] == '{' || rest[0] == ' ') {
			var value float64
			if _, err := fmt.Sscan(string(rest[bytes.LastIndexByte(rest, ' ')+1:]), &value); err != nil {
				return 0, err
			}
			sum += value
		}
	}
	return int(sum), nil
}
