package admission

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"example.com/iiifd/option"
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// defaults returns the settings as they are without any configuration.
func defaults() Config {
	var c Config
	c.Options(option.NewSet())
	return c
}

// rig is a controller with 8 permits (4 of them the tiles' floor), 4 GiB and
// no jitter; its samples come only from Tick.
type rig struct {
	*Controller
	t *testing.T
}

func newRig(t *testing.T, change func(*Config, *Facts)) rig {
	t.Helper()
	cfg := defaults()
	cfg.Threads = 8
	cfg.HeadroomRatio = 0
	facts := Facts{
		CPUs:   8,
		Memory: &Memory{CgroupLimit: 4 * gib, CgroupSource: SourceCgroupV2, HostTotal: 16 * gib, HostAvailable: 16 * gib},
		Jitter: func() float64 { return 0 },
		Manual: true,
	}
	if change != nil {
		change(&cfg, &facts)
	}
	c, err := New(cfg, facts, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return rig{c, t}
}

func tile(key string) Ask { return Ask{URL: LaneTile, Peak: 2 * mib, Key: key} }

func full(key string) Ask { return Ask{URL: LaneFull, Peak: 64 * mib, Key: key} }

func script(key string) Ask { return Ask{Key: key, Script: true} }

// must acquires at once; the ask must not have to wait.
func (r rig) must(a Ask) *Lease {
	r.t.Helper()
	l, err := r.Acquire(r.t.Context(), a)
	if err != nil {
		r.t.Fatalf("Acquire(%+v): %v", a, err)
	}
	return l
}

// refused acquires and returns the refusal's code.
func (r rig) refused(ctx context.Context, a Ask) *Rejection {
	r.t.Helper()
	l, err := r.Acquire(ctx, a)
	var rejection *Rejection
	if !errors.As(err, &rejection) {
		r.t.Fatalf("Acquire(%+v) = %v, %v; want a rejection", a, l, err)
	}
	return rejection
}

// outcome is what became of an Acquire in a goroutine.
type outcome struct {
	lease *Lease
	err   error
	after time.Duration
}

func (o outcome) code() Code {
	if r, ok := errors.AsType[*Rejection](o.err); ok {
		return r.Code
	}
	return ""
}

// begin acquires in a goroutine.
func (r rig) begin(ctx context.Context, a Ask) <-chan outcome {
	out := make(chan outcome, 1)
	began := time.Now()
	go func() {
		l, err := r.Acquire(ctx, a)
		out <- outcome{l, err, time.Since(began)}
	}()
	return out
}

// idle asserts that every gauge is back to what it is on an idle server.
func (r rig) idle() {
	r.t.Helper()
	s := r.Snapshot()
	if s.Threads.InUse != 0 || s.Threads.FullInUse != 0 {
		r.t.Errorf("permits in use: %+v", s.Threads)
	}
	b := s.Budget
	if b.InUseBytes != 0 || b.TileInUseBytes != 0 || b.HeadroomInUseBytes != 0 ||
		b.IngestInUseBytes != 0 || b.EgressInUseBytes != 0 {
		r.t.Errorf("bytes in use: %+v", b)
	}
	if q := s.Queue; q.TileWaiting != 0 || q.FullWaiting != 0 || q.Bytes != 0 || q.HeldBytes != 0 || q.KeysWaiting != 0 || len(q.Keys) != 0 {
		r.t.Errorf("queue: %+v", q)
	}
	for _, u := range s.Quota.Clients {
		if u.Active != 0 || u.Pending != 0 {
			r.t.Errorf("quota: %+v", u)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sched.use != (usage{}) || r.running.count != 0 || r.running.oldest != nil {
		r.t.Errorf("usage %+v, running %d", r.sched.use, r.running.count)
	}
	for id, l := range r.sched.lines {
		if len(l.flows) != 0 || l.clock != 0 {
			r.t.Errorf("line %d: %d flows, clock %d", id, len(l.flows), l.clock)
		}
		for h := range l.heaps {
			if len(l.heaps[h].flows) != 0 {
				r.t.Errorf("line %d: heap %d holds %d flows", id, h, len(l.heaps[h].flows))
			}
		}
	}
	if r.shadow != nil && r.shadow.sched.lines[lineTile].count+r.shadow.sched.lines[lineFull].count == 0 {
		if len(r.shadow.events) == 0 && r.shadow.sched.use != (usage{}) {
			r.t.Errorf("shadow usage %+v", r.shadow.sched.use)
		}
	}
}
