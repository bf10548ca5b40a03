package admission

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestScriptImagesRunOnTheirParent: the parent holds the only full permit and
// three images run; none of them waits.
func TestScriptImagesRunOnTheirParent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, _ *Facts) { c.Threads = 2 })
		parent := r.must(script("a"))
		ctx := parent.Context(t.Context())
		if FromContext(ctx) != parent || FromContext(t.Context()) != nil {
			t.Error("FromContext")
		}
		began := time.Now()
		for range 3 {
			l, err := r.Acquire(ctx, full("a"))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Snapshot(); got.Threads.InUse != 1 || got.Budget.InUseBytes != 64*mib {
				t.Errorf("%+v %+v", got.Threads, got.Budget)
			}
			l.Record(Result{Peak: mib, OK: true})
			l.Release()
			l.Release()
		}
		release, ok := parent.TryGrow(64 * mib)
		if !ok || r.Snapshot().Budget.InUseBytes != 64*mib || parent.Charge().Bytes != 64*mib {
			t.Error("TryGrow")
		}
		release()
		release()
		if _, ok := parent.TryGrow(r.Books().FullBudget); !ok {
			t.Error("the rest of the budget")
		}
		for range 3 {
			got := r.refused(ctx, full("a"))
			if got.Code != CodeFanoutExhausted {
				t.Errorf("%+v", got)
			}
			if _, ok := parent.TryGrow(1); ok {
				t.Error("there is nothing left")
			}
		}
		if time.Since(began) != 0 {
			t.Error("nested work waited")
		}
		if got := r.Snapshot().Fanout; got.Admitted != 5 || got.Skipped != 6 {
			t.Errorf("%+v", got)
		}
		parent.Release()
		if _, ok := parent.TryGrow(1); ok {
			t.Error("a released lease grows")
		}
		r.idle()
	})
}

func TestNestedOversizedIsSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	parent := r.must(script("a"))
	a := full("a")
	a.Peak = 100 * gib
	if got := r.refused(parent.Context(t.Context()), a); got.Code != CodeExceedsBudget || got.Limit == 0 {
		t.Errorf("%+v", got)
	}
	parent.Release()
	r.idle()
}

func TestNestedOutlivesItsParent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	parent := r.must(script("a"))
	ctx := parent.Context(t.Context())
	child, err := r.Acquire(ctx, full("a"))
	if err != nil {
		t.Fatal(err)
	}
	inner := child.Context(ctx)
	grandchild, err := r.Acquire(inner, tile("a"))
	if err != nil {
		t.Fatal(err)
	}
	parent.Release()
	if ctx.Err() == nil {
		t.Error("the context outlives the lease")
	}
	child.Release()
	grandchild.Release()
	if inner.Err() == nil {
		t.Error("the child's context outlives its lease")
	}
	r.idle()
}

// TestSpeculativeWorkTakesNothingFromClients covers prefetch and warming.
func TestSpeculativeWorkTakesNothingFromClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, m := pressed(t, nil)
		try := func() (*Lease, bool) {
			l, ok := r.TryAcquire(t.Context(), FanoutPrefetch, tile("a"))
			if probe := r.TryProbe(FanoutPrefetch, "a", 2*mib); !ok && probe {
				t.Error("the probe promises what the lease does not hold")
			}
			return l, ok
		}
		var held []*Lease
		for range 7 {
			l, ok := try()
			if !ok {
				t.Fatal("skipped on an idle server")
			}
			held = append(held, l)
		}
		if _, ok := try(); ok {
			t.Error("took the last free permit")
		}
		last := r.must(tile("b"))
		waiting := r.begin(t.Context(), tile("b"))
		synctest.Wait()
		if got := r.Snapshot().Queue.TileWaiting; got != 1 {
			t.Errorf("%d tiles wait", got)
		}
		if _, ok := try(); ok {
			t.Error("ran before a tile that waits")
		}
		for _, l := range held {
			l.Record(Result{OK: true})
			l.Release()
		}
		last.Release()
		(<-waiting).lease.Release()
		if n := len(r.adaptive.samples); n != 0 {
			t.Errorf("%d latency samples", n)
		}
		r.press(m, 86)
		if _, ok := try(); ok {
			t.Error("ran under high pressure")
		}
		parent := r.must(script("s"))
		if _, ok := parent.TryGrow(1); ok {
			t.Error("a script's image ran under high pressure")
		}
		parent.Release()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		r.press(m, 10)
		if _, ok := r.TryAcquire(ended, FanoutWarm, tile("a")); ok {
			t.Error("ran for an ended context")
		}
		r.FanoutFailed(FanoutWarm)
		if got := r.Snapshot().Fanout; got.Errors != 1 || got.Admitted != 7 || got.Skipped == 0 {
			t.Errorf("%+v", got)
		}
		if got := r.FanoutExhausted(); got.Code != CodeFanoutExhausted || got.RetryAfter == 0 {
			t.Errorf("%+v", got)
		}
		r.idle()
	})
}

// TestWaitingTileGoesFirst: a tile that waits for bytes of the reserve keeps
// speculative work out although permits are free.
func TestWaitingTileGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(_ *Config, f *Facts) { f.Memory.CgroupLimit = gib }) // The reserve is below what all permits could hold.
		large := Ask{URL: LaneTile, Peak: 32*mib - 1, Key: "a"}
		var held []*Lease
		for range r.Snapshot().Budget.TileLimitBytes / large.Peak {
			held = append(held, r.must(large))
		}
		if len(held) >= 8 {
			t.Fatal("the reserve is enough for all permits")
		}
		waiting := r.begin(t.Context(), large)
		synctest.Wait()
		if _, ok := r.TryAcquire(t.Context(), FanoutWarm, full("w")); ok || r.TryProbe(FanoutWarm, "w", 64*mib) {
			t.Error("warming ran before a tile that waits")
		}
		settle(held, []<-chan outcome{waiting})
		r.idle()
	})
}

func TestProbeIsPricedByItsTarget(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	budget := r.Books().FullBudget
	held := r.must(Ask{URL: LaneFull, Peak: budget - 100*mib, Key: "x"})
	for _, kind := range []FanoutKind{FanoutLua, FanoutWarm} {
		if !r.TryProbe(kind, "a", 100*mib) || r.TryProbe(kind, "a", 100*mib+1) {
			t.Errorf("%s: the probe does not look at the target's price", kind)
		}
	}
	if got := r.Snapshot(); got.Threads.InUse != 1 || got.Budget.InUseBytes != budget-100*mib {
		t.Error("a probe holds something")
	}
	held.Release()
	r.idle()
}

// TestScriptImagesChargeTheParentsIdentity: each image is a granted decode.
func TestScriptImagesChargeTheParentsIdentity(t *testing.T) {
	t.Parallel()
	r := newRig(t, withQuota(t, goodQuota))
	a := script("k_alpha")
	a.Identity = "alpha"
	parent := r.must(a)
	for i, want := range []bool{true, true, false} {
		if _, ok := parent.TryGrow(mib); ok != want {
			t.Errorf("image %d: %v", i+1, ok)
		}
	}
	parent.Release()
	if got := r.refused(t.Context(), a); got.Code != CodeClientRate {
		t.Errorf("%+v", got)
	}
	r.idle()
}
