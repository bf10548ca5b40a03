package admission

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// cores is a machine that shares its processors between the running jobs, and
// always has another job waiting.
type cores struct {
	a     *adaptive
	n     int
	jobs  []*job
	now   time.Duration
	draw  func() float64
	limit func(int) // sees the limit after every window
}

type job struct {
	work, left float64 // seconds of one processor
	since      time.Duration
}

func (c *cores) run(span time.Duration) {
	const step = 5 * time.Millisecond
	for end := c.now + span; c.now < end; c.now += step {
		for len(c.jobs) < c.a.value() {
			w := c.draw()
			c.jobs = append(c.jobs, &job{w, w, c.now})
			c.a.permits(c.now, len(c.jobs))
		}
		speed := min(1, float64(c.n)/float64(len(c.jobs)))
		kept := c.jobs[:0]
		for _, j := range c.jobs {
			if j.left -= speed * step.Seconds(); j.left > 0 {
				kept = append(kept, j)
				continue
			}
			c.a.observe(c.now+step-j.since, j.work, 0)
		}
		c.jobs = kept
		c.a.permits(c.now+step, len(c.jobs))
		if (c.now+step)%time.Second == 0 {
			c.a.tick(c.now+step, len(c.jobs), SeverityNormal)
			c.limit(c.a.value())
		}
	}
}

func TestLimitFollowsTheProcessors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for name, draw := range map[string]func() float64{
		"uniform": func() float64 { return 0.02 },
		"5 percent fulls of 2 s": func() float64 {
			if r.IntN(20) == 0 {
				return 2
			}
			return 0.02
		},
	} {
		a := newAdaptive(&Config{AdaptiveMode: AdaptiveEnforce}, threads{total: 8, tileMin: 4})
		c := &cores{a: a, n: 8, draw: draw, limit: func(n int) {
			if n < 4 || n > 8 {
				t.Errorf("%s: limit %d", name, n)
			}
		}}
		c.run(20 * time.Second)
		if got := a.value(); got != 8 {
			t.Errorf("%s: 8 processors, limit %d", name, got)
		}
		c.n = 4
		c.run(30 * time.Second)
		if got := a.value(); got < 4 || got > 6 {
			t.Errorf("%s: 4 processors, limit %d", name, got)
		}
		c.n = 8
		c.run(40 * time.Second)
		if got := a.value(); got != 8 {
			t.Errorf("%s: 8 processors again, limit %d", name, got)
		}
	}
}

func TestLimitStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		a := newAdaptive(&Config{AdaptiveMode: AdaptiveShadow, AdaptiveMin: 2}, threads{total: 8, tileMin: 4})
		for i := range 2000 {
			for range r.IntN(12) {
				a.observe(time.Duration(r.Int64N(int64(time.Minute))), r.Float64(), r.Int64N(gib))
			}
			a.tick(time.Duration(i+1)*time.Second, r.IntN(9), Severity(r.IntN(3)))
			if a.value() < 2 || a.value() > 8 {
				t.Fatalf("seed %d: limit %v", seed, a.limit)
			}
		}
	}
}

func TestCriticalHalvesOncePerWindow(t *testing.T) {
	t.Parallel()
	a := newAdaptive(&Config{AdaptiveMode: AdaptiveEnforce, AdaptiveMin: 1}, threads{total: 16, tileMin: 8})
	a.tick(time.Second, 0, SeverityCritical)
	if a.value() != 8 {
		t.Errorf("limit %v", a.limit)
	}
	a.tick(time.Second, 0, SeverityCritical)
	if a.value() != 8 {
		t.Errorf("twice within one window: %v", a.limit)
	}
	for i := range 20 {
		a.tick(time.Duration(i+2)*time.Second, 0, SeverityNormal)
	}
	if a.value() != 16 {
		t.Errorf("empty windows do not raise it: %v", a.limit)
	}
}

// TestLeastLimitIsLeftWhenTheWorldHasChanged: decodes that have become slower
// for good are the new measure after some windows at the least limit.
func TestLeastLimitIsLeftWhenTheWorldHasChanged(t *testing.T) {
	t.Parallel()
	a := newAdaptive(&Config{AdaptiveMode: AdaptiveEnforce}, threads{total: 8, tileMin: 4})
	window := func(i int, took time.Duration) {
		for range 10 {
			a.observe(took, 0.1, 0)
		}
		a.tick(time.Duration(i)*time.Second, 8, SeverityNormal)
	}
	for i := range 10 {
		window(i+1, 100*time.Millisecond)
	}
	for i := range 30 {
		window(i+11, 400*time.Millisecond)
	}
	if a.value() != 8 {
		t.Errorf("limit %d", a.value())
	}
}

// collapse drives a controller's adaptive limit to its minimum.
func (r rig) collapse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.adaptive.limit = r.adaptive.least
	r.applyLocked(r.facts.Since())
}

// TestAdaptiveNeverLocksOut: after two slow fulls and a limit at its minimum
// the next full is granted, idle or not, and tiles keep their floor.
func TestAdaptiveNeverLocksOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.AdaptiveMode, c.AdaptiveMin = AdaptiveEnforce, 1 })
		for range 2 {
			l := r.must(full("a"))
			time.Sleep(50 * time.Second)
			l.Record(Result{OK: true})
			l.Release()
			r.Tick()
		}
		r.collapse()
		l := r.must(full("a"))
		var tiles []*Lease
		for range 4 {
			tiles = append(tiles, r.must(tile("a")))
		}
		if got := <-r.begin(t.Context(), tile("a")); got.code() != CodeQueueTimeout {
			t.Errorf("the limit does not bind: %+v", got)
		}
		l.Release()
		r.must(full("a")).Release() // fulls keep one permit too
		for _, l := range tiles {
			l.Release()
		}
		r.idle()
	})
}

// TestShadowChangesNothing: the same arrivals have the same outcomes whether
// the adaptive limit is off or in shadow, even where the limit has collapsed
// and virtual lanes are on.
func TestShadowChangesNothing(t *testing.T) {
	t.Parallel()
	run := func(mode string) (string, AdaptiveState) {
		var out string
		var state AdaptiveState
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(c *Config, _ *Facts) {
				c.AdaptiveMode, c.VirtualLanes = mode, mode != AdaptiveOff
				c.LaneQueueMax = 1
			})
			if mode != AdaptiveOff {
				r.collapse()
			}
			random := rand.New(rand.NewPCG(5, 5))
			outcomes := make([]string, 400)
			for i := range outcomes {
				time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
				a, service := tile(fmt.Sprint("k", random.IntN(3))), time.Duration(random.Int64N(int64(300*time.Millisecond)))
				if random.IntN(4) == 0 {
					a = full(a.Key)
				}
				go func() {
					l, err := r.Acquire(t.Context(), a)
					outcomes[i] = fmt.Sprint(a.Key, a.Peak, err, ";")
					if err == nil {
						time.Sleep(service)
						l.Release()
					}
				}()
				synctest.Wait()
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			state = r.Snapshot().Adaptive
			out = strings.Join(outcomes, "\n")
			r.idle()
		})
		return out, state
	}
	off, _ := run(AdaptiveOff)
	shadow, state := run(AdaptiveShadow)
	if off != shadow {
		t.Error("the outcomes differ")
	}
	if state.WouldAdmit == 0 || state.WouldQueue == 0 || state.WouldReject == 0 {
		t.Errorf("nothing was counted: %+v", state)
	}
}

func TestFullLaneRefusesItsOwnKeyAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) {
			c.AdaptiveMode, c.VirtualLanes, c.LaneQueueMax = AdaptiveEnforce, true, 2
		})
		var held []*Lease
		for range 4 {
			held = append(held, r.must(full("x")))
		}
		waits := []<-chan outcome{r.begin(t.Context(), full("a")), r.begin(t.Context(), full("a"))}
		synctest.Wait()
		if got := r.refused(t.Context(), full("a")); got.Code != CodeLaneFull {
			t.Errorf("%+v", got)
		}
		waits = append(waits, r.begin(t.Context(), full("b")))
		synctest.Wait()
		s := r.Snapshot().Adaptive
		if !s.VirtualLanes || s.LaneCount != 2 || s.LaneWaiting != 3 || len(s.Lanes) != 2 || s.Lanes[0].Waiting != 2 {
			t.Errorf("%+v", s)
		}
		for _, l := range held {
			l.Release()
		}
		for _, w := range waits {
			(<-w).lease.Release()
		}
		r.idle()
	})
}

func TestManyKeysLeaveNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) {
			c.AdaptiveMode, c.VirtualLanes, c.QueueMax = AdaptiveEnforce, true, 5000
		})
		for i := range 2000 {
			a := tile(fmt.Sprint("key", i))
			go func() {
				if l, err := r.Acquire(t.Context(), a); err == nil {
					time.Sleep(time.Millisecond)
					l.Release()
				}
			}()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		r.idle()
	})
}
