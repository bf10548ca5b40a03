package admission

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// fill takes every permit and every place in the queue of fulls and tiles.
func (r rig) fill() (held []*Lease, waiting []<-chan outcome) {
	r.t.Helper()
	for range r.threads.fullMax {
		held = append(held, r.must(full("greedy")))
	}
	for range r.threads.tileMin {
		held = append(held, r.must(tile("greedy")))
	}
	for range r.cfg.QueueMax {
		waiting = append(waiting, r.begin(r.t.Context(), full("greedy")), r.begin(r.t.Context(), tile("greedy")))
	}
	synctest.Wait()
	return held, waiting
}

func settle(held []*Lease, waiting []<-chan outcome) {
	for _, l := range held {
		l.Release()
	}
	for _, w := range waiting {
		if o := <-w; o.lease != nil {
			o.lease.Release()
		}
	}
}

// TestDrillOverload: with every permit and every place taken, decodes are
// refused with a time to come back, everything that reduces load works, and a
// cancelled decode gives its place to the next.
func TestDrillOverload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.QueueMax = 4 })
		held, waiting := r.fill()
		victim := held[0].Context(t.Context())
		for _, a := range []Ask{full("greedy"), tile("greedy")} {
			if got := r.refused(t.Context(), a); got.Code != CodeQueueFull || got.RetryAfter < time.Second || got.RetryAfter > time.Minute {
				t.Errorf("%+v", got)
			}
		}
		r.Replayed(ReplayCache)
		if s := r.Snapshot(); s.Queue.FullWaiting != 4 || s.Queue.TileWaiting != 4 || s.Threads.InUse != 8 {
			t.Errorf("%+v %+v", s.Queue, s.Threads)
		}
		decodes := r.Decodes()
		if len(decodes) != 8 || decodes[0].Lane != LaneFull || decodes[0].Bytes != 64*mib {
			t.Fatalf("%+v", decodes)
		}
		if r.Cancel("0") || !r.Cancel(decodes[0].ID) || !r.Decodes()[0].Cancelled {
			t.Error("cancel")
		}
		if !errors.Is(context.Cause(victim), ErrCancelled) {
			t.Errorf("cause %v", context.Cause(victim))
		}
		if got := r.Snapshot().Threads.FullInUse; got != 4 {
			t.Errorf("%d fulls: what has not stopped is still charged", got)
		}
		held[0].Release()
		synctest.Wait()
		if got := r.Snapshot(); got.Threads.FullInUse != 4 || got.Queue.FullWaiting != 3 {
			t.Errorf("the next waiter was not granted: %+v", got.Queue)
		}
		settle(held, waiting)
		r.idle()
	})
}

// TestDrillClock: the wall clock jumps back and forth; quotas do not see it.
func TestDrillClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var jump time.Duration
		change := withQuota(t, goodQuota)
		r := newRig(t, func(c *Config, f *Facts) {
			change(c, f)
			f.Wall = func() time.Time { return time.Now().Add(jump) }
		})
		for range 3 {
			r.must(by("alpha")).Release()
		}
		for _, jump = range []time.Duration{-time.Hour, time.Hour, 0, 24 * time.Hour, -24 * time.Hour} {
			got := r.refused(t.Context(), by("alpha"))
			if got.Code != CodeClientRate || got.RetryAfter > 10*time.Second || got.RetryAfter <= 0 {
				t.Errorf("wall clock %v: %+v", jump, got)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(5 * time.Second)
		r.must(by("alpha")).Release()
		r.idle()
	})
}

// TestDrillForgedIdentities: ten thousand requests with forged forwarding
// headers and unvalidated tokens are one client, with one client's share.
func TestDrillForgedIdentities(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.QueueMax = 10 })
		keys := map[string]bool{}
		for i := range 10_000 {
			forged := fmt.Sprintf("203.0.113.%d, 2001:db8::%x", i%256, i)
			keys[r.Keyer().Key(Client{Remote: "198.51.100.1:4000", Forwarded: []string{forged}})] = true
		}
		if len(keys) != 1 {
			t.Fatalf("%d keys", len(keys))
		}
		var forged string
		for forged = range keys {
		}
		var held []*Lease
		for range 4 {
			held = append(held, r.must(full(forged)))
		}
		var waiting []<-chan outcome
		for range 50 {
			waiting = append(waiting, r.begin(t.Context(), full(forged)))
		}
		synctest.Wait()
		honest := r.begin(t.Context(), full("honest"))
		synctest.Wait()
		if s := r.Snapshot().Queue; s.FullWaiting != 10 || s.KeysWaiting != 2 {
			t.Errorf("%+v", s)
		}
		held[0].Release()
		synctest.Wait()
		held[1].Release()
		if got := <-honest; got.err != nil || got.after != 0 {
			t.Errorf("honest: %+v", got)
		} else {
			got.lease.Release()
		}
		settle(held, waiting)
		r.idle()
	})
}

// TestDrillPageCacheAndHostNoise: neither makes the server refuse.
func TestDrillPageCacheAndHostNoise(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, nil)
		m.use(38, 61.8)
		m.set("proc/pressure/memory", stall(90, 90))
		for range 10 {
			time.Sleep(sampleEvery)
			r.Tick()
			r.must(full("a")).Release()
			r.must(tile("a")).Release()
		}
		if s := r.Snapshot(); s.Pressure.Severity != "normal" || s.ShedTotal != 0 || s.Pressure.Stale {
			t.Errorf("%+v", s.Pressure)
		}
		r.idle()
	})
}

// TestDrillOOMAndLostFiles: an out-of-memory event refuses for five seconds;
// a sampler that loses its files fails open after half a minute, and says so.
func TestDrillOOMAndLostFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, nil)
		tick := func(n int) {
			for range n {
				time.Sleep(sampleEvery)
				r.Tick()
			}
		}
		tick(1)
		running := r.must(full("a"))
		m.set(own+"memory.events", "oom 0\noom_kill 1\n")
		tick(1)
		for _, a := range []Ask{full("b"), tile("b"), script("b")} {
			if got := r.refused(t.Context(), a); got.Code != CodePressure {
				t.Errorf("%+v", got)
			}
		}
		tick(5)
		r.must(tile("b")).Release()
		m.use(95, 0)
		tick(2)
		for _, name := range []string{"memory.current", "memory.events", "memory.pressure"} {
			m.remove(own + name)
		}
		tick(5)
		if got := r.refused(t.Context(), full("b")); got.Code != CodePressure {
			t.Errorf("%+v", got)
		}
		tick(26)
		r.must(full("b")).Release()
		if s := r.Snapshot().Pressure; !s.Stale || s.Severity != "normal" || len(s.Signals) != 0 {
			t.Errorf("%+v", s)
		}
		running.Release()
		r.idle()
	})
}

// TestDrillAbortStorm: clients leave in every stage: before, while they wait,
// as they are granted, while the decode runs.
func TestDrillAbortStorm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Acquire(gone, full("a")); !errors.Is(err, context.Canceled) {
			t.Errorf("before: %v", err)
		}
		for round := range 200 {
			ctx, cancel := context.WithCancel(t.Context())
			var all []<-chan outcome
			for i := range 30 {
				a := full(fmt.Sprint("k", i%7))
				switch i % 3 {
				case 0:
					a = tile(a.Key)
				case 1:
					a = script(a.Key)
				}
				all = append(all, r.begin(ctx, a))
			}
			if round%2 == 0 {
				synctest.Wait()
			}
			cancel()
			for _, out := range all {
				if o := <-out; o.lease != nil {
					running := o.lease.Context(ctx)
					if running.Err() == nil {
						t.Error("the work's context outlives the client")
					}
					o.lease.Release()
				} else if !errors.Is(o.err, context.Canceled) {
					t.Errorf("%v", o.err)
				}
			}
		}
		if got := r.Snapshot().ShedTotal; got != 0 {
			t.Errorf("%d aborts count as sheds", got)
		}
		r.idle()
	})
}

// TestDrillBurstIsolation: A's burst fills the queue; B's single requests, one
// after the other, are all served, and A's are still served too.
func TestDrillBurstIsolation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.QueueMax, c.QueueTimeoutFull = 50, 45*time.Second })
		served := map[string]int{}
		work := func(a Ask) error {
			l, err := r.Acquire(t.Context(), a)
			if err == nil {
				time.Sleep(200 * time.Millisecond)
				r.mu.Lock()
				served[a.Key]++
				r.mu.Unlock()
				l.Release()
			}
			return err
		}
		for range 500 {
			go func() { _ = work(full("a")) }()
		}
		synctest.Wait()
		for range 20 {
			began := time.Now()
			if err := work(full("b")); err != nil {
				t.Errorf("b: %v", err)
			}
			if waited := time.Since(began); waited > 600*time.Millisecond {
				t.Errorf("b waited %v", waited)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if served["b"] != 20 || served["a"] < 50 {
			t.Errorf("served %v", served)
		}
		r.idle()
	})
}

// TestDrillDrain: waiters are refused, what runs may end, newcomers are
// refused, and Idle returns when the last has ended.
func TestDrillDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.QueueMax = 4 })
		held, waiting := r.fill()
		r.Drain()
		r.Drain()
		for _, w := range waiting {
			if got := <-w; got.code() != CodeDraining {
				t.Errorf("%+v", got)
			}
		}
		if got := r.refused(t.Context(), tile("b")); got.Code != CodeDraining || got.RetryAfter == 0 || !r.Draining() {
			t.Errorf("%+v", got)
		}
		if r.Gate(LaneTile) == nil {
			t.Error("the gate is open")
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Idle(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Idle: %v", err)
		}
		done := make(chan error)
		go func() { done <- r.Idle(t.Context()) }()
		time.Sleep(time.Second)
		settle(held, nil)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := r.Idle(t.Context()); err != nil {
			t.Error(err)
		}
		r.idle()
	})
}

// TestDrillPanic: a decode that panics gives its lease back.
func TestDrillPanic(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, a := range []Ask{tile("a"), full("a"), script("a")} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			l := r.must(a)
			defer l.Release()
			if _, ok := l.TryGrow(mib); !ok {
				t.Error("no room")
			}
			panic("decode")
		}()
	}
	r.idle()
}

// TestTilesSurviveEverything: whatever fulls and scripts do, tiles within
// their floor never wait and are never shed.
func TestTilesSurviveEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 400 {
			a := full(fmt.Sprint("bot", i%50))
			if i%3 == 0 {
				a = script(a.Key)
			}
			go func() {
				if l, err := r.Acquire(ctx, a); err == nil {
					time.Sleep(2 * time.Second)
					l.Release()
				}
			}()
		}
		synctest.Wait()
		for range 100 {
			var tiles []*Lease
			for range 4 {
				l := r.must(tile("viewer"))
				if got := l.Charge().Wait; got != 0 {
					t.Errorf("a tile waited %v", got)
				}
				tiles = append(tiles, l)
			}
			time.Sleep(50 * time.Millisecond)
			settle(tiles, nil)
		}
		cancel()
		time.Sleep(time.Minute)
		r.idle()
	})
}

// TestRetryAfterFollowsTheQueue: the deeper the queue and the slower the
// decodes, the later; never sooner than what was waited, never beyond a
// minute; spread by the jitter.
func TestRetryAfterFollowsTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		jitter := 0.0
		r := newRig(t, func(c *Config, f *Facts) {
			c.QueueMax = 8
			f.Jitter = func() float64 { return jitter }
		})
		l := r.must(full("a"))
		time.Sleep(6 * time.Second)
		l.Release()
		held, waiting := r.fill()
		got := r.refused(t.Context(), full("greedy"))
		if got.RetryAfter != 12*time.Second { // 6 s × 8 waiting / 4 permits
			t.Errorf("Retry-After %v", got.RetryAfter)
		}
		spread := func(by float64) {
			r.mu.Lock()
			defer r.mu.Unlock()
			jitter = by
		}
		spread(0.999)
		if got := r.refused(t.Context(), full("greedy")); got.RetryAfter != 15*time.Second {
			t.Errorf("with jitter %v", got.RetryAfter)
		}
		spread(0)
		if o := <-waiting[0]; o.code() != CodeQueueTimeout {
			t.Errorf("%+v", o)
		} else if rejection := new(Rejection); errors.As(o.err, &rejection) && (rejection.RetryAfter < 10*time.Second || rejection.Wait != 10*time.Second) {
			t.Errorf("%+v", rejection)
		}
		settle(held, waiting[1:])
		r.idle()
	})
}
