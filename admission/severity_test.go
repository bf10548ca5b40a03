package admission

import (
	"testing"
	"testing/synctest"
	"time"
)

// pressed is a rig with a machine; its ticks are called by hand.
func pressed(t *testing.T, change func(*Config, *Facts)) (rig, *machine) {
	t.Helper()
	m := newMachine()
	return newRig(t, func(c *Config, f *Facts) {
		f.Root, f.Memory = m, nil
		if change != nil {
			change(c, f)
		}
	}), m
}

func (r rig) press(m *machine, workingSet float64) {
	m.use(workingSet, 0)
	for range 2 {
		time.Sleep(sampleEvery)
		r.Tick()
	}
}

func TestSeverityDecidesWhoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, nil)
		var fulls, tiles []*Lease
		for range 4 {
			fulls = append(fulls, r.must(full("a")))
			tiles = append(tiles, r.must(tile("a")))
		}
		r.press(m, 86)
		for _, ask := range []Ask{full("b"), tile("b")} {
			if got := <-r.begin(t.Context(), ask); got.code() != CodePressure || got.after != highWait {
				t.Errorf("high: %v after %v", got.err, got.after)
			}
		}
		r.press(m, 95)
		for _, ask := range []Ask{full("b"), script("b"), tile("b")} {
			got := <-r.begin(t.Context(), ask)
			if got.code() != CodePressure || got.after != 0 {
				t.Errorf("critical: %v after %v", got.err, got.after)
			}
		}
		if got := r.refused(t.Context(), full("b")); got.RetryAfter != 5*time.Second {
			t.Errorf("Retry-After %v", got.RetryAfter)
		}
		fulls[0].Release()
		r.refused(t.Context(), full("b"))
		tiles[0].Release()
		r.must(tile("b")).Release() // a permit is free now
		if r.Gate(LaneFull) == nil || r.Gate(LaneTile) != nil {
			t.Error("the gate does not agree")
		}
		m.set(own+"memory.events", "oom 1\noom_kill 1\n")
		time.Sleep(sampleEvery)
		r.Tick()
		if got := r.refused(t.Context(), tile("b")); got.Code != CodePressure {
			t.Errorf("oom: %+v", got)
		}
		m.use(10, 0)
		for range 6 {
			time.Sleep(sampleEvery)
			r.Tick()
		}
		r.must(full("b")).Release()
		for _, l := range append(fulls, tiles...) {
			l.Release()
		}
		r.idle()
	})
}

// TestRisingPressureCutsWaits: who waits already is not spared.
func TestRisingPressureCutsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, nil)
		var held []*Lease
		for range 4 {
			held = append(held, r.must(full("a")))
		}
		cut := r.begin(t.Context(), full("b"))
		synctest.Wait()
		r.press(m, 86)
		if got := <-cut; got.code() != CodePressure || got.after != 2*sampleEvery+highWait {
			t.Errorf("high: %v after %v", got.err, got.after)
		}
		r.press(m, 10)
		shed := r.begin(t.Context(), full("b"))
		scripted := r.begin(t.Context(), script("b"))
		synctest.Wait()
		m.use(95, 0)
		r.press(m, 95)
		if got := <-shed; got.code() != CodePressure || got.after != 2*sampleEvery {
			t.Errorf("critical: %v after %v", got.err, got.after)
		}
		if got := <-scripted; got.code() != CodePressure {
			t.Errorf("script: %v", got.err)
		}
		for _, l := range held {
			l.Release()
		}
		r.idle()
	})
}

// TestRecoveryNeedsNoRequest: the controller's own goroutine samples.
func TestRecoveryNeedsNoRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, func(_ *Config, f *Facts) { f.Manual = false })
		m.use(95, 0)
		time.Sleep(3 * sampleEvery)
		if got, _ := r.PressureSince(); got != SeverityCritical {
			t.Errorf("severity %v", got)
		}
		m.use(10, 0)
		time.Sleep(2 * sampleEvery)
		if got, since := r.PressureSince(); got != SeverityNormal || since > 2*sampleEvery {
			t.Errorf("severity %v for %v", got, since)
		}
		r.Close()
		r.Close()
	})
}

func TestHeadroomIsForHealthyTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, func(c *Config, _ *Facts) { c.HeadroomRatio = 0.1 })
		limit := r.Snapshot().Budget.LimitBytes
		part := func(share float64) Ask {
			return Ask{URL: LaneFull, Peak: int64(share * float64(limit)), Key: "a"}
		}
		r.press(m, 10)
		first := r.must(part(0.85))
		second := r.must(part(0.12))
		if first.Charge().Headroom || !second.Charge().Headroom {
			t.Errorf("headroom %v, %v", first.Charge().Headroom, second.Charge().Headroom)
		}
		if got := r.Snapshot().Budget; got.HeadroomInUseBytes == 0 || got.InUseBytes > limit {
			t.Errorf("%+v", got)
		}
		second.Release()
		r.press(m, 80) // normal, but the working set is not below 0.75
		waiting := r.begin(t.Context(), part(0.12))
		synctest.Wait()
		if got := r.Snapshot().Queue.FullWaiting; got != 1 {
			t.Errorf("%d wait", got)
		}
		first.Release()
		(<-waiting).lease.Release()
		r.idle()
	})
}
