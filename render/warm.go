package render

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/iiif"
)

const (
	// warmWaiting bounds the images that wait to be warmed.
	warmWaiting = 20_000
	// warmRemembered bounds the ended orders that the status still tells of,
	// warmFailures the failures told of each.
	warmRemembered = 20
	warmFailures   = 20
	// warmTries is how often a request is tried that there was no room for,
	// warmPause the time between two tries.
	warmTries = 4
	warmPause = time.Second
)

// ErrWarmFull is returned for an order of more images than may wait.
var ErrWarmFull = errors.New("render: too many images wait to be warmed")

// Warmer makes answers in the background for images that an operator names.
// Its work takes only what no client could want at that moment.
type Warmer struct {
	renderer *Renderer
	log      *slog.Logger
	ctx      context.Context //nolint:containedctx // ends with Close
	stop     context.CancelFunc
	workers  sync.WaitGroup

	mu      sync.Mutex
	wake    *sync.Cond
	closed  bool
	lastID  int
	waiting []warmTask
	running int
	orders  []*WarmState // oldest first
}

// warmTask is one image of an order.
type warmTask struct {
	order   *WarmOrder
	state   *WarmState
	subject Subject
}

// NewWarmer starts a number of workers, each of which makes one answer at a
// time.
func NewWarmer(r *Renderer, workers int, log *slog.Logger) *Warmer {
	w := &Warmer{renderer: r, log: log}
	w.wake = sync.NewCond(&w.mu)
	w.ctx, w.stop = context.WithCancel(context.Background())
	for range max(workers, 1) {
		w.workers.Go(w.work)
	}
	return w
}

// Add takes an order whole, or refuses it with ErrWarmFull.
func (w *Warmer) Add(o WarmOrder) (WarmState, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting)+len(o.Subjects) > warmWaiting {
		return WarmState{}, ErrWarmFull
	}
	w.lastID++
	state := &WarmState{ID: w.lastID, Ordered: time.Now(), Images: len(o.Subjects)}
	w.orders = append(w.orders, state)
	for _, s := range o.Subjects {
		w.waiting = append(w.waiting, warmTask{&o, state, s})
	}
	w.endLocked(state)
	w.wake.Broadcast()
	return state.copy(), nil
}

// Forget drops the images that wait and returns their number. Those that are
// being worked on are finished.
func (w *Warmer) Forget() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.waiting)
	dropped := w.waiting
	w.waiting = nil
	for _, t := range dropped {
		t.state.Images--
		w.endLocked(t.state)
	}
	return n
}

// Status tells what was ordered and what has become of it.
func (w *Warmer) Status() WarmStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := WarmStatus{Waiting: len(w.waiting), Running: w.running, WaitingLimit: warmWaiting, Orders: []WarmState{}}
	for _, o := range slices.Backward(w.orders) {
		s.Orders = append(s.Orders, o.copy())
	}
	return s
}

// Close ends the work and waits for it.
func (w *Warmer) Close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	w.closed = true
	w.wake.Broadcast()
	w.mu.Unlock()
	w.stop()
	w.workers.Wait()
}

// endLocked ends an order that has no image left, and forgets old ones.
func (w *Warmer) endLocked(s *WarmState) {
	if s.ImagesDone < s.Images || !s.Ended.IsZero() {
		return
	}
	s.Ended = time.Now()
	hasEnded := func(o *WarmState) bool { return !o.Ended.IsZero() }
	ended := 0
	for _, o := range w.orders {
		if hasEnded(o) {
			ended++
		}
	}
	if ended > warmRemembered {
		oldest := slices.IndexFunc(w.orders, hasEnded)
		w.orders = slices.Delete(w.orders, oldest, oldest+1)
	}
	w.log.Info("warmed", slog.Int("order", s.ID), slog.Int("images", s.Images), slog.Int("made", s.Made),
		slog.Int("known", s.Known), slog.Int("skipped", s.Skipped), slog.Int("failed", s.Failed))
}

func (w *Warmer) work() {
	for {
		t, ok := w.next()
		if !ok {
			return
		}
		w.warm(t)
		w.mu.Lock()
		w.running--
		t.state.ImagesDone++
		w.endLocked(t.state)
		w.mu.Unlock()
	}
}

// next waits for an image; ok is false at the end.
func (w *Warmer) next() (t warmTask, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) == 0 && !w.closed {
		w.wake.Wait()
	}
	if w.closed {
		return t, false
	}
	t = w.waiting[0]
	w.waiting[0] = warmTask{}
	w.waiting = w.waiting[1:]
	w.running++
	return t, true
}

// warm makes what was ordered of one image.
func (w *Warmer) warm(t warmTask) {
	requests, err := w.renderer.warmRequests(w.ctx, t.subject, t.order)
	if err != nil {
		w.renderer.failedBeside(admission.FanoutWarm)
		w.failed(t, "", err)
		return
	}
	for _, params := range requests {
		if w.ctx.Err() != nil {
			return
		}
		result, err := w.try(t.subject, params)
		if err != nil {
			w.failed(t, params.String(), err)
			continue
		}
		w.mu.Lock()
		switch result {
		case BesideMade:
			t.state.Made++
		case BesideKnown:
			t.state.Known++
		case BesideSkipped:
			t.state.Skipped++
		}
		w.mu.Unlock()
	}
}

// try makes one answer. Where there is no room it comes back a little later,
// a few times, and never stands in a queue.
func (w *Warmer) try(s Subject, params iiif.Params) (Beside, error) {
	for tried := 1; ; tried++ {
		job, err := w.renderer.Prepare(w.ctx, Request{Subject: s, Params: params})
		if err != nil {
			w.renderer.failedBeside(admission.FanoutWarm)
			return "", err
		}
		result, err := w.renderer.MakeBeside(w.ctx, admission.FanoutWarm, job)
		if err != nil || result != BesideSkipped || tried == warmTries {
			return result, err
		}
		pause := time.NewTimer(warmPause)
		select {
		case <-pause.C:
		case <-w.ctx.Done():
			pause.Stop()
			return "", context.Cause(w.ctx)
		}
	}
}

func (w *Warmer) failed(t warmTask, request string, err error) {
	w.log.Debug("not warmed", slog.String("identifier", t.subject.Identifier), slog.String("request", request), slog.String("error", err.Error()))
	w.mu.Lock()
	defer w.mu.Unlock()
	t.state.Failed++
	if len(t.state.Failures) < warmFailures {
		t.state.Failures = append(t.state.Failures, WarmFailure{t.subject.Identifier, request, codeOf(err)})
	}
}
