package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// sums returns what does not hold in a snapshot.
func sums(s *Snapshot) error {
	shed := uint64(0)
	for _, n := range s.ShedByCode {
		shed += n
	}
	waiting, bytes := 0, int64(0)
	for _, k := range s.Queue.Keys {
		waiting += k.Waiting
		bytes += k.Bytes
	}
	switch {
	case shed != s.ShedTotal:
		return fmt.Errorf("shed %d, by code %d", s.ShedTotal, shed)
	case s.Queue.KeysWaiting <= mostKeys && (waiting != s.Queue.TileWaiting+s.Queue.FullWaiting || bytes != s.Queue.Bytes):
		return fmt.Errorf("keys wait %d/%d, queue %+v", waiting, bytes, s.Queue)
	case s.Threads.InUse > s.Threads.Total || s.Threads.FullInUse > s.Threads.FullMax:
		return fmt.Errorf("threads %+v", s.Threads)
	case s.Budget.InUseBytes > s.Budget.LimitBytes || s.Budget.TileInUseBytes > s.Budget.TileLimitBytes:
		return fmt.Errorf("budget %+v", s.Budget)
	case s.Threads.InUse == 0 && s.Budget.InUseBytes+s.Budget.TileInUseBytes != 0:
		return fmt.Errorf("nothing runs, but %+v", s.Budget)
	case s.Queue.KeysWaiting > s.Queue.TileWaiting+s.Queue.FullWaiting:
		return fmt.Errorf("more keys than waiters: %+v", s.Queue)
	}
	return nil
}

// client is one random request: it asks, works, fans out, fails, panics or
// leaves.
func (r rig) client(ctx context.Context, seed uint64) (err error) {
	random := rand.New(rand.NewPCG(seed, 13))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if random.IntN(4) == 0 {
		patience := time.Duration(random.Int64N(int64(3 * time.Second)))
		stop := time.AfterFunc(patience, cancel)
		defer stop.Stop()
	}
	a := tile(fmt.Sprint("k", random.IntN(20)))
	a.Peak = 1 + random.Int64N(32*mib-1)
	switch random.IntN(8) {
	case 0:
		a = script(a.Key)
	case 1, 2:
		a = full(a.Key)
		a.Peak += random.Int64N(gib)
	}
	a.Held, a.Seconds = random.Int64N(mib), random.Float64()
	l, err := r.Acquire(ctx, a)
	if err != nil {
		return err
	}
	defer l.Release()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("recovered %v", v)
		}
	}()
	work := l.Context(ctx)
	time.Sleep(time.Duration(random.Int64N(int64(400 * time.Millisecond))))
	if a.Script {
		for range random.IntN(3) {
			if child, err := r.Acquire(work, full(a.Key)); err == nil {
				time.Sleep(time.Millisecond)
				child.Release()
			}
		}
	}
	switch random.IntN(10) {
	case 0:
		panic("decode")
	case 1:
		return errors.New("decode failed")
	case 2:
		l.Release()
	}
	l.Record(Result{Peak: a.Peak / 2, OK: true})
	return nil
}

// TestStorm runs thousands of random clients through a controller, with
// pressure that comes and goes, looks at the sums of a snapshot at every
// step, and finds every gauge idle at the end.
func TestStorm(t *testing.T) {
	for _, mode := range []string{ModeAdvanced, ModeBasic} {
		for _, adaptive := range []string{AdaptiveShadow, AdaptiveEnforce} {
			t.Run(mode+"/"+adaptive, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(rt *rapid.T) {
					seed := rapid.Uint64().Draw(rt, "seed")
					synctest.Test(t, func(t *testing.T) { storming(t, seed, mode, adaptive) })
				})
			})
		}
	}
}

func storming(t *testing.T, seed uint64, mode, adaptive string) {
	t.Helper()
	r, m := pressed(t, func(c *Config, _ *Facts) {
		c.Mode, c.AdaptiveMode, c.QueueMax, c.HeadroomRatio = mode, adaptive, 20, 0.1
		c.VirtualLanes = seed%2 == 0
	})
	random := rand.New(rand.NewPCG(seed, 17))
	var clients sync.WaitGroup
	for i := range 150 {
		time.Sleep(time.Duration(random.Int64N(int64(60 * time.Millisecond))))
		clients.Go(func() {
			err := r.client(t.Context(), seed+uint64(i))
			var rejection *Rejection
			if errors.As(err, &rejection) && (rejection.RetryAfter > 75*time.Second || (rejection.RetryAfter == 0) != (rejection.Code.Kind() == KindNever)) {
				t.Errorf("seed %d: %+v", seed, rejection)
			}
		})
		if random.IntN(15) == 0 {
			m.use(float64(random.IntN(100)), 0)
			m.set(own+"memory.pressure", stall(float64(random.IntN(100)), 0))
		}
		if random.IntN(12) == 0 {
			r.Tick()
		}
		if s := r.Snapshot(); mode == ModeAdvanced {
			if err := sums(&s); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	clients.Wait()
	time.Sleep(time.Minute) // the shadow's last guesses end
	r.idle()
}

// TestSnapshotsHoldUnderLoad takes ten thousand snapshots while real
// goroutines acquire, release, abort and cancel.
func TestSnapshotsHoldUnderLoad(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config, _ *Facts) { c.QueueMax = 40 })
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range 16 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 19))
			for ctx.Err() == nil {
				a := tile(fmt.Sprint("k", random.IntN(5)))
				if random.IntN(3) == 0 {
					a = full(a.Key)
				}
				short, stop := context.WithTimeout(ctx, time.Duration(random.IntN(300))*time.Microsecond)
				if l, err := r.Acquire(short, a); err == nil {
					l.Release()
				}
				stop()
			}
		})
	}
	for range 10_000 {
		s := r.Snapshot()
		if err := sums(&s); err != nil {
			t.Error(err)
			break
		}
	}
	cancel()
	clients.Wait()
	r.idle()
}

// TestGrantsAndAbortsRace: ten thousand times a grant and an abort meet, and
// no permit is lost.
func TestGrantsAndAbortsRace(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config, _ *Facts) { c.Threads = 2 })
	for range 10_000 {
		holder := r.must(full("a"))
		ctx, cancel := context.WithCancel(t.Context())
		waiting := r.begin(ctx, full("b"))
		var both sync.WaitGroup
		both.Go(holder.Release)
		both.Go(cancel)
		if got := <-waiting; got.err == nil {
			got.lease.Release()
		} else if !errors.Is(got.err, context.Canceled) {
			t.Fatal(got.err)
		}
		both.Wait()
	}
	r.idle()
}

func TestNamesOfClientsNeverShow(t *testing.T) {
	t.Parallel()
	r := newRig(t, withQuota(t, goodQuota))
	const secret = "198.51.100.23"
	a := by("alpha")
	a.Key = r.Keyer().Key(Client{Remote: secret + ":1"})
	r.must(a).Release()
	shown := fmt.Sprintf("%+v %+v %+v", r.Snapshot(), r.Decisions(), r.Decodes())
	for _, raw := range []string{secret, "alpha"} {
		if strings.Contains(shown, raw) {
			t.Errorf("%q is shown: %s", raw, shown)
		}
	}
}
