package admission

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func BenchmarkAcquireRelease(b *testing.B) {
	cfg := defaults()
	cfg.Threads = 8
	facts := Facts{CPUs: 8, Memory: &Memory{CgroupLimit: 4 * gib, CgroupSource: SourceCgroupV2}, Manual: true}
	c, err := New(cfg, facts, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	ctx, ask := context.Background(), tile("k_0123456789abcdef")
	b.ReportAllocs()
	for b.Loop() {
		l, err := c.Acquire(ctx, ask)
		if err != nil {
			b.Fatal(err)
		}
		l.Release()
	}
}

// loaded is a ticket that joins the running ones when it is granted.
type loaded struct {
	ticket
	running *[]*loaded
}

func (l *loaded) grantedAt(time.Duration)       { *l.running = append(*l.running, l) }
func (l *loaded) refusedAt(time.Duration, Code) {}

// BenchmarkContended makes decisions while many wait: each iteration is an
// end, which grants a waiter, and an arrival, which parks and, the queue being
// full, is sometimes refused. The time for each must not depend on how many
// wait beyond a logarithm.
func BenchmarkContended(b *testing.B) {
	for _, waiters := range []int{100, 10_000} {
		for _, keys := range []int{1, waiters} {
			b.Run(fmt.Sprintf("waiters=%d/keys=%d", waiters, keys), func(b *testing.B) {
				s := newScheduler(testCapacity, queueCaps{count: waiters, bytes: unlimited, held: 1, active: 1 << 30}, 32*mib)
				names := make([]string, keys)
				for i := range names {
					names[i] = fmt.Sprint("k", i)
				}
				var running []*loaded
				var now time.Duration
				arrive := func(i int) {
					l := &loaded{ticket: ticket{line: lineFull, key: names[i%keys], bytes: 40*mib + int64(i%11)*40*mib}, running: &running}
					l.owner = l
					if s.tryGrant(&l.ticket, now) {
						running = append(running, l)
						return
					}
					s.park(&l.ticket, now)
				}
				for i := range waiters + 8 {
					arrive(i)
				}
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					now += time.Microsecond
					done := running[0]
					running = append(running[:0], running[1:]...)
					s.finish(&done.ticket, now)
					arrive(i)
					arrive(i + 1)
				}
			})
		}
	}
}
