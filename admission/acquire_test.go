package admission

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/iiifd/iiif"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	const threshold = 32 << 20
	for request, want := range map[string]Lane{
		"0,0,1024,1024/512,/0/default.jpg":    LaneTile,
		"full/!800,800/0/default.jpg":         LaneTile,
		"full/2896,2896/0/default.jpg":        LaneTile, // 33,547,264 bytes
		"full/2897,2896/0/default.jpg":        LaneFull, // 33,558,848 bytes
		"full/max/0/default.jpg":              LaneFull,
		"full/pct:10/0/default.jpg":           LaneFull,
		"0,0,1000,1000/max/0/default.jpg":     LaneTile,
		"0,0,9000,9000/max/0/default.jpg":     LaneFull,
		"0,0,9000,9000/pct:10/0/default.jpg":  LaneTile,
		"full/2000,/0/default.jpg":            LaneFull,
		"square/2000,/0/default.jpg":          LaneTile,
		"full/^max/0/default.jpg":             LaneFull,
		"0,0,1000,1000/^9000,9000/0/gray.png": LaneFull,
	} {
		p, err := iiif.ParseParams(request, iiif.V3)
		if err != nil {
			t.Fatal(err)
		}
		if got := Classify(p, threshold); got != want {
			t.Errorf("Classify(%s) = %s, want %s", request, got, want)
		}
	}
}

func TestTilesBurstAndFullsAreCapped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		var leases []*Lease
		for range 8 {
			leases = append(leases, r.must(tile("a")))
		}
		waiting := r.begin(t.Context(), full("b"))
		synctest.Wait()
		leases[0].Release()
		synctest.Wait()
		leases = append(leases, (<-waiting).lease)
		for _, l := range leases {
			l.Release()
			l.Release()
		}
		r.idle()

		leases = leases[:0]
		for range 4 {
			leases = append(leases, r.must(full("b")))
		}
		if got := (<-r.begin(t.Context(), full("b"))); got.code() != CodeQueueTimeout || got.after != 10*time.Second {
			t.Errorf("fifth full: %v after %v", got.err, got.after)
		}
		for range 4 {
			leases = append(leases, r.must(tile("a")))
		}
		if got := (<-r.begin(t.Context(), tile("a"))); got.code() != CodeQueueTimeout || got.after != 2*time.Second {
			t.Errorf("ninth decode: %v after %v", got.err, got.after)
		}
		for _, l := range leases {
			l.Release()
		}
		r.idle()
	})
}

func TestEngineDecides(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, c := range []struct {
		name  string
		ask   Ask
		want  Lane
		bytes int64
	}{
		{"engine over URL", Ask{URL: LaneTile, Peak: 32 * mib}, LaneFull, 32 * mib},
		{"engine under URL", Ask{URL: LaneFull, Peak: 32*mib - 1}, LaneTile, 32*mib - 1},
		{"no price, URL tile", Ask{URL: LaneTile}, LaneTile, 32 * mib},
		{"no price, URL full", Ask{URL: LaneFull}, LaneFull, r.Books().FullBudget},
		{"script", Ask{URL: LaneTile, Script: true}, LaneFull, 0},
	} {
		l := r.must(c.ask)
		if got := l.Charge(); got.Lane != c.want || got.Bytes != c.bytes {
			t.Errorf("%s: %+v", c.name, got)
		}
		l.Release()
	}
	r.idle()
}

func TestOversizedIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	a := full("a")
	a.Peak = r.Books().FullBudget + 1
	got := r.refused(t.Context(), a)
	if got.Code != CodeExceedsBudget || got.RetryAfter != 0 || got.Limit != r.Books().FullBudget || got.Code.Kind() != KindNever {
		t.Errorf("%+v", got)
	}
	a.Peak--
	r.must(a).Release()

	slow := full("a")
	slow.Seconds = 61
	if got := r.refused(t.Context(), slow); got.Code != CodeExceedsTime || got.RetryAfter != 0 {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	slow.Seconds = 1.5
	if got := r.refused(ctx, slow); got.Code != CodeExceedsTime {
		t.Errorf("%+v", got)
	}
	r.idle()
}

// TestCheckTellsAndCountsNothing: Check agrees with Acquire about what can
// never be, and leaves no trace.
func TestCheckTellsAndCountsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	big, slow := full("a"), full("a")
	big.Peak, slow.Seconds = r.Books().FullBudget+1, 61
	for _, a := range []Ask{big, slow, tile("a"), full("a"), script("a"), {URL: LaneFull}} {
		before, decisions := r.Snapshot(), len(r.Decisions())
		checked := r.Check(t.Context(), a)
		if after := r.Snapshot(); after.ShedTotal != before.ShedTotal || after.Threads != before.Threads || len(r.Decisions()) != decisions {
			t.Errorf("%+v: Check left a trace", a)
		}
		l, err := r.Acquire(t.Context(), a)
		got, refused := errors.AsType[*Rejection](err)
		if refused != (checked != nil) || (refused && (got.Code != checked.Code || got.Limit != checked.Limit || got.Bytes != checked.Bytes)) {
			t.Errorf("%+v: Check says %+v, Acquire %+v", a, checked, got)
		}
		if l != nil {
			l.Release()
		}
	}
	basic := newRig(t, func(c *Config, _ *Facts) { c.Mode = ModeBasic })
	if got := basic.Check(t.Context(), big); got != nil {
		t.Errorf("basic mode: %+v", got)
	}
	r.idle()
}

// TestSlowFullsAreWarnedOf: once an hour, and only while they are slow.
func TestSlowFullsAreWarnedOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		var out bytes.Buffer
		r.log = slog.New(slog.NewTextHandler(&out, nil))
		decode := func(took time.Duration) {
			for range 128 {
				l := r.must(full("a"))
				time.Sleep(took)
				l.Record(Result{OK: true})
				l.Release()
			}
			r.Tick()
			r.Tick()
		}
		decode(time.Second)
		if out.Len() != 0 {
			t.Errorf("warned without need: %s", &out)
		}
		decode(11 * time.Second)
		if n := strings.Count(out.String(), "level=WARN"); n != 1 {
			t.Errorf("%d warnings: %s", n, &out)
		}
		r.idle()
	})
}

// TestWaitEndsWhereWorkCouldNotEndInTime: who waits beyond the last moment to
// start in is refused then, not at the queue's time-out.
func TestWaitEndsWhereWorkCouldNotEndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		var held []*Lease
		for range 4 {
			held = append(held, r.must(full("a")))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		a := full("b")
		a.Seconds = 5
		if got := <-r.begin(ctx, a); got.code() != CodeQueueTimeout || got.after != 3*time.Second {
			t.Errorf("%v after %v", got.err, got.after)
		}
		for _, l := range held {
			l.Release()
		}
		r.idle()
	})
}

// TestOnlyTheFirstRecordCounts: a lease is one decode.
func TestOnlyTheFirstRecordCounts(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	l := r.must(tile("a"))
	l.Record(Result{OK: false})
	l.Record(Result{OK: true})
	l.Record(Result{OK: true})
	l.Release()
	l.Record(Result{OK: true})
	if n := len(r.adaptive.samples); n != 1 {
		t.Errorf("%d samples", n)
	}
	r.idle()
}

func TestAbortLeavesTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		var leases []*Lease
		for range 4 {
			leases = append(leases, r.must(full("a")))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		waiting := r.begin(ctx, full("b"))
		synctest.Wait()
		if got := r.Snapshot().Queue; got.FullWaiting != 1 || got.Bytes != 64*mib || len(got.Keys) != 1 {
			t.Errorf("queue %+v", got)
		}
		cancel(gone)
		if got := <-waiting; !errors.Is(got.err, gone) {
			t.Errorf("got %v", got.err)
		}
		if s := r.Snapshot(); s.ShedTotal != 0 {
			t.Errorf("an abort is no shed: %v", s.ShedByCode)
		}
		for _, l := range leases {
			l.Release()
		}
		r.idle()
	})
}

// TestLongWorkIsNoTile: what takes long does not take the tiles' permits,
// however little memory it needs.
func TestLongWorkIsNoTile(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, c := range []struct {
		peak    int64
		seconds float64
		want    Lane
	}{
		{2 * mib, 0, LaneTile},
		{2 * mib, 0.99, LaneTile},
		{2 * mib, 1, LaneFull},
		{22 * mib, 6, LaneFull},
		{32*mib - 1, 0.5, LaneTile},
		{32 * mib, 0, LaneFull},
	} {
		l := r.must(Ask{URL: LaneTile, Peak: c.peak, Seconds: c.seconds, Key: "a"})
		if got := l.Charge(); got.Lane != c.want || got.Engine != c.want || got.URL != LaneTile {
			t.Errorf("%d bytes, %v s: %+v", c.peak, c.seconds, got)
		}
		l.Release()
	}
	r.idle()
}
