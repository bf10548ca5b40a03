package main

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"example.com/iiifd/testimages"
)

// weather is a calm, then a storm: viewers alone, then viewers and bots.
func (s *stage) weather(ctx context.Context, kinds []testimages.LargeKind) error {
	g, err := newGroup(s.limit)
	if err != nil {
		return err
	}
	defer g.remove()
	dir, remove, err := s.scratch("weather")
	if err != nil {
		return err
	}
	defer remove()
	args := []string{"--cache-dir", filepath.Join(dir, "cache")}
	if !s.cached {
		args = append(args, "--cache-bytes", "8Mi") // Large answers are spooled and then forgotten.
	}
	p, err := s.start(ctx, g, filepath.Join(dir, "log"), args...)
	if err != nil {
		return err
	}
	defer func() {
		if p.cmd.ProcessState == nil {
			p.kill()
		}
	}()
	before := load()
	_ = during(ctx, 3*time.Second, func(ctx context.Context) *outcomes { return view(ctx, p.base) }) // Warms up.
	calm := during(ctx, s.calm, func(ctx context.Context) *outcomes { return view(ctx, p.base) })
	progress("calm: p50 %s p99 %s ms, %v", ms(calm.quantile(0.5)), ms(calm.quantile(0.99)), calm)

	over, end := context.WithCancelCause(ctx)
	downloads := make(chan *outcomes, 1)
	go func() { downloads <- crawl(over, p.base, kinds) }()
	linted := make(chan string, 1)
	halfway := time.AfterFunc(s.storm/2, func() { linted <- p.lint(ctx) })
	defer halfway.Stop()
	tiles := during(ctx, s.storm, func(ctx context.Context) *outcomes { return view(ctx, p.base) })
	against := <-linted
	last := ended(p)
	end(errOver)
	fulls := <-downloads
	s.judge(&weatherReport{
		names: join(kinds), calm: calm, tiles: tiles, fulls: fulls, load: before + " → " + load(),
		resident: p.memory("VmHWM:"), group: g, crashed: last, kinds: len(kinds),
	})
	took, what := p.idle(ctx, 10*time.Second)
	s.report.check(what == "", "%s at %s: idle %s s after the storm %s", join(kinds), s.limit, ms(took/1000), what)
	s.report.check(against == "", "%s at %s: promtool check metrics on a scrape within the storm: %s", join(kinds), s.limit, cmp.Or(against, "nothing to say but of "+keptName))
	if len(kinds) > 1 {
		arrivals := cmp.Or(s.record, filepath.Join(dir, "arrivals.csv"))
		if err := s.writeArrivals(ctx, filepath.Join(dir, "log"), arrivals); err != nil {
			return err
		}
		s.replay(ctx, arrivals)
	}
	s.finish(ctx, p)
	return nil
}

// during runs f for a time.
func during(ctx context.Context, d time.Duration, f func(context.Context) *outcomes) *outcomes {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return f(ctx)
}

// ended tells whether a server has ended that should run.
func ended(p *process) bool {
	select {
	case err := <-p.ended:
		p.ended <- err
		return true
	default:
		return false
	}
}

func join(kinds []testimages.LargeKind) string {
	var texts []string
	for _, k := range kinds {
		texts = append(texts, string(k))
	}
	return strings.Join(texts, " ")
}

// weatherReport is what a storm left.
type weatherReport struct {
	names              string
	kinds              int
	calm, tiles, fulls *outcomes
	load               string
	resident           int64
	group              *group
	crashed            bool
}

// judge holds a storm against what is promised.
func (s *stage) judge(w *weatherReport) {
	calm50, calm99 := w.calm.quantile(0.5), w.calm.quantile(0.99)
	p99 := w.tiles.quantile(0.99)
	bound := max(250*time.Millisecond, 10*calm50)
	inTime, good := w.tiles.share(bound), percent(w.tiles.counts["200"], len(w.tiles.latencies))
	done := 0
	for name, n := range w.fulls.counts {
		if strings.HasPrefix(name, "200 ") && name != "200 cut" {
			done += n
		}
	}
	rate := float64(done) / (s.storm.Seconds() / 15)
	peak := w.group.peak()
	s.report.row(w.names, s.limit, ms(calm50)+"/"+ms(calm99),
		ms(w.tiles.quantile(0.5))+"/"+ms(w.tiles.quantile(0.95))+"/"+ms(p99)+"/"+ms(w.tiles.quantile(1)),
		two(good), two(inTime), done, two(rate), w.group.kills(), w.resident>>20, peak>>20)
	r, at := s.report, w.names+" at "+s.limit
	r.note("**%s** (load %s): bots %v, %d MiB; tiles %v", at, w.load, w.fulls, w.fulls.bytes>>20, w.tiles)
	r.check(!w.crashed, "%s: the server ran on", at)
	r.check(w.group.kills() == 0, "%s: %d OOM kills", at, w.group.kills())
	r.check(w.resident > 0 && w.resident <= w.group.limit/100*95, "%s: peak RSS %d of %d MiB", at, w.resident>>20, w.group.limit>>20)
	r.check(good == 100, "%s: %.2f %% of %d tiles were 200", at, good, len(w.tiles.latencies))
	r.check(inTime >= 99, "%s: %.2f %% of tiles within %s ms", at, inTime, ms(bound))
	allowed := max(40*time.Millisecond, 3*calm99)
	r.check(p99 <= allowed, "%s: tile p99 %s ms, allowed %s", at, ms(p99), ms(allowed))
	for name := range w.fulls.counts {
		honest := (strings.HasPrefix(name, "200 ") && name != "200 cut") || name == "413 request_exceeds_time" || name == "413 request_exceeds_budget" ||
			(strings.HasPrefix(name, "503 ") && !strings.Contains(name, "without"))
		r.check(honest, "%s: bots: %s × %d", at, name, w.fulls.counts[name])
	}
	if w.kinds == 1 && w.group.limit >= 512<<20 {
		r.check(rate >= 4, "%s: %.1f whole downloads in 15 s", at, rate)
	}
}

func two(f float64) string {
	text := ms(time.Duration(f * float64(time.Millisecond)))
	return strings.TrimSuffix(text, ".0")
}

// finish ends the server in the middle of work: what waits is refused, what
// runs ends well, and the server ends with success.
func (s *stage) finish(ctx context.Context, p *process) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errOver)
	got := make(chan *outcomes, 1)
	go func() { got <- crawl(ctx, p.base, allKinds[:1]) }()
	for range 100 { // Until something runs and something waits.
		if snap, err := p.snapshot(ctx); err == nil && snap.Threads.FullInUse > 0 && snap.Queue.FullWaiting > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	began := time.Now()
	err := p.terminate(time.Minute)
	took := time.Since(began)
	cancel(errOver)
	o := <-got
	s.report.check(err == nil && o.counts["503 draining"] > 0 && o.counts["200 cut"] == 0,
		"drain at %s: ended after %s s (%v); bots %d × 200, %d × 503 draining, %d cut", s.limit, ms(took/1000), err,
		o.counts["200 "+string(allKinds[0])], o.counts["503 draining"], o.counts["200 cut"])
}
