package lua

import (
	"context"
	"fmt"
	"math"
	"runtime/metrics"
	"sync/atomic"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// Reason tells what ended a script against its will. The values are metric
// labels.
type Reason string

// The reasons.
const (
	ReasonTime         Reason = "time"
	ReasonMemory       Reason = "memory"
	ReasonInstructions Reason = "instructions"
	ReasonCancelled    Reason = "cancelled"
	ReasonCrash        Reason = "crash"
)

// checkEvery is the number of instructions between two looks at the clock.
const checkEvery = 1000

// heapEvery is the least time between two looks at the heap.
const heapEvery = time.Millisecond

// budget is what one call may use. It is the context of its machine:
// gopher-lua asks a context's Done before every instruction, and so Done is
// where instructions are counted. Once exceeded it stays so, and a script
// that catches the error meets it again at its next instruction.
//
// Only cancel may be called from another goroutine.
type budget struct {
	deadline  time.Time
	allowance int64 // bytes a script may hold
	heapBase  uint64
	maxSteps  int64

	steps, next int64
	heapLooked  time.Time
	samples     []metrics.Sample
	cancelled   atomic.Bool

	exceeded Reason
	closed   chan struct{}
}

var _ context.Context = (*budget)(nil)

// newBudget returns the budget of a call. heapBase is what the process held
// before any script; maxSteps 0 means no limit.
func newBudget(deadline time.Time, allowance, maxSteps int64, heapBase uint64) *budget {
	if maxSteps <= 0 {
		maxSteps = math.MaxInt64
	}
	b := &budget{
		deadline: deadline, allowance: allowance, maxSteps: maxSteps, heapBase: heapBase,
		next:    checkEvery,
		samples: heapSamples(),
		closed:  make(chan struct{}),
	}
	close(b.closed)
	return b
}

func heapSamples() []metrics.Sample {
	return []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
	}
}

// Done counts one instruction. See budget.
func (b *budget) Done() <-chan struct{} {
	b.steps++
	if b.steps < b.next {
		return nil
	}
	if b.check() != "" {
		return b.closed
	}
	return nil
}

// Err is non-nil once the budget is exceeded.
func (b *budget) Err() error {
	if b.exceeded == "" {
		return nil
	}
	return fmt.Errorf("script exceeded its limit: %s", b.exceeded)
}

// Deadline is the call's deadline.
func (b *budget) Deadline() (time.Time, bool) { return b.deadline, true }

// Value returns nil.
func (b *budget) Value(any) any { return nil }

// cancel ends the call at its next check.
func (b *budget) cancel() { b.cancelled.Store(true) }

// check looks at every limit and returns the one that is exceeded.
func (b *budget) check() Reason {
	if b.exceeded == "" {
		now := time.Now()
		switch {
		case b.cancelled.Load():
			b.exceeded = ReasonCancelled
		case b.steps >= b.maxSteps:
			b.exceeded = ReasonInstructions
		case !now.Before(b.deadline):
			b.exceeded = ReasonTime
		case now.Sub(b.heapLooked) >= heapEvery:
			b.heapLooked = now
			b.lookAtHeap()
		}
	}
	if b.exceeded == "" {
		b.next = min(b.steps+checkEvery, b.maxSteps)
	} else {
		b.next = 0
	}
	return b.exceeded
}

// lookAtHeap compares what the last collection found alive with the
// allowance, and all objects, dead ones included, with that and the slack:
// the collector works harder near the process's memory limit, so that only
// live objects get that far.
func (b *budget) lookAtHeap() {
	metrics.Read(b.samples)
	limit := b.heapBase + uint64(b.allowance)
	if b.samples[0].Value.Uint64() > limit || b.samples[1].Value.Uint64() > limit+uint64(slack(b.allowance)) {
		b.exceeded = ReasonMemory
	}
}

// poll raises an error in l if the budget is exceeded. Functions of ours call
// it where they begin and while they work.
func (b *budget) poll(l *glua.LState) {
	if b.check() != "" {
		l.RaiseError("%s", b.Err().Error())
	}
}

// charge refuses an allocation of n bytes that alone exceeds the allowance.
func (b *budget) charge(l *glua.LState, n int64) {
	if n < 0 || n > b.allowance {
		b.exceeded = ReasonMemory
	}
	b.poll(l)
}

// remaining is the time left.
func (b *budget) remaining() time.Duration { return time.Until(b.deadline) }
