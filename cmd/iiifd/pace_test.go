package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPaceGivesSlackWhereLittleLives(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		live, slack int64
		want        int
	}{
		{4 * mib, 24 * mib, 600}, {24 * mib, 24 * mib, 100}, {300 * mib, 24 * mib, 100}, {0, 24 * mib, mostPercent}, {4 * mib, 2 * mib, 100},
	} {
		if got := pacePercent(c.live, c.slack); got != c.want {
			t.Errorf("%d bytes live, %d of slack: GOGC %d, not %d", c.live, c.slack, got, c.want)
		}
	}
}

func TestPaceFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	runtime.GC()
	p := &pace{slack: 4 * max(liveHeap(), 1<<20), percent: 100} // Whatever else lives in this process.
	p.adjust()
	defer p.stop()
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	if percent() <= 100 {
		t.Fatal("no slack where little lives")
	}
	// Cleanups run beside the collection: it is collected until they have.
	much := make([]byte, 2*p.slack)
	for percent() > 100 {
		runtime.GC()
		runtime.Gosched()
	}
	runtime.KeepAlive(much)
	for percent() == 100 {
		runtime.GC()
		runtime.Gosched()
	}
	p.stop()
	if percent() != 100 {
		t.Error("GOGC is not as it was")
	}
}
