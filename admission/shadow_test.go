package admission

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// arrival is one request of a recorded load: its work takes the same time in
// every mode.
type arrival struct {
	after   time.Duration
	ask     Ask
	service time.Duration
}

// storm draws a load that asks for more than the full partition has.
func storm(seed uint64, n int, mean time.Duration, fulls float64) []arrival {
	r := rand.New(rand.NewPCG(seed, 11))
	out := make([]arrival, n)
	for i := range out {
		a := arrival{after: time.Duration(r.ExpFloat64() * float64(mean)), ask: tile(fmt.Sprint("k", r.IntN(12)))}
		a.service = time.Duration(20+r.IntN(60)) * time.Millisecond
		if r.Float64() < fulls {
			a.ask = full(a.ask.Key)
			a.ask.Peak = 40*mib + r.Int64N(700*mib)
			a.service = time.Duration(300+r.IntN(2500)) * time.Millisecond
		}
		out[i] = a
	}
	return out
}

// replay runs a load and returns how many fulls were shed, how many the
// shadow says would have been, and the snapshot at the end.
func replay(t *testing.T, load []arrival, mode string) (shed int, predicted uint64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) {
			c.Mode, c.QueueMax, c.QueueTimeoutFull = mode, 20, 3*time.Second
		})
		results := make([]outcome, len(load))
		for i, a := range load {
			time.Sleep(a.after)
			go func() {
				l, err := r.Acquire(t.Context(), a.ask)
				results[i] = outcome{lease: l, err: err}
				if err == nil {
					time.Sleep(a.service)
					l.Release()
				}
			}()
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		for i, o := range results {
			if load[i].ask.URL == LaneFull && o.err != nil {
				shed++
			}
		}
		predicted = r.Snapshot().FullShadowRejectTotal
		r.idle()
	})
	return shed, predicted
}

// TestShadowPredictsAdvanced: what basic mode counts as would-be-refused is
// what advanced mode refuses on the same arrivals, within 5 percent or 5
// requests.
func TestShadowPredictsAdvanced(t *testing.T) {
	t.Parallel()
	for _, load := range []struct {
		name  string
		mean  time.Duration
		fulls float64
	}{
		{"fulls alone, far too many", 200 * time.Millisecond, 1},
		{"fulls alone, slightly too many", 400 * time.Millisecond, 1},
		{"mixed", 60 * time.Millisecond, 0.2},
		{"a tile storm with fulls", 15 * time.Millisecond, 0.05},
		{"little to do", time.Second, 0.3},
	} {
		for seed := range uint64(3) {
			arrivals := storm(seed, 1500, load.mean, load.fulls)
			shed, none := replay(t, arrivals, ModeAdvanced)
			_, predicted := replay(t, arrivals, ModeBasic)
			diff := int(predicted) - shed
			if diff < 0 {
				diff = -diff
			}
			t.Logf("%s, seed %d: advanced sheds %d, basic predicts %d", load.name, seed, shed, predicted)
			if diff > max(5, shed/20) {
				t.Errorf("%s, seed %d: advanced sheds %d, basic predicts %d", load.name, seed, shed, predicted)
			}
			if none != 0 {
				t.Errorf("%s: the shadow counts in advanced mode", load.name)
			}
		}
	}
}

// TestBasicOnlyCounts: neither the full cap nor the full budget refuses.
func TestBasicOnlyCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.Mode = ModeBasic })
		big := full("a")
		big.Peak = 100 * gib
		var held []*Lease
		held = append(held, r.must(big))
		for range 7 {
			held = append(held, r.must(full("a")))
		}
		s := r.Snapshot()
		if s.Threads.FullInUse != 8 || s.Budget.InUseBytes != 100*gib+7*64*mib || s.Mode != ModeBasic {
			t.Errorf("%+v %+v", s.Threads, s.Budget)
		}
		if got := <-r.begin(t.Context(), tile("b")); got.code() != CodeQueueTimeout {
			t.Errorf("the permits themselves are enforced: %+v", got)
		}
		time.Sleep(time.Minute)
		if got := r.Snapshot().FullShadowRejectTotal; got != 3 {
			t.Errorf("%d would have been refused, want 3 (four of seven run)", got)
		}
		for _, l := range held {
			l.Release()
		}
		r.idle()
	})
}
