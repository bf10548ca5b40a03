package cache

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

type refusal struct{}

func (refusal) Error() string   { return "refused" }
func (refusal) NotShared() bool { return true }

func goexit()   { runtime.Goexit() }
func yieldNow() { runtime.Gosched() }

func TestHundredCallersOneFill(t *testing.T) {
	for name, size := range map[string]int{"small": 50_000, "large": 2 * AnswerBytes} {
		t.Run(name, func(t *testing.T) {
			r := open(t, Config{MemoryBytes: 8 << 20})
			k := key(1)
			var fills atomic.Int32
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() {
					rd, _, err := r.Do(context.Background(), k, Options{}, func(ctx context.Context, w *Writer) error {
						fills.Add(1)
						return writes(k, size)(ctx, w)
					})
					if err != nil {
						t.Error(err)
						return
					}
					wantAnswer(t, rd, k, size)
				})
			}
			wg.Wait()
			if n := fills.Load(); n != 1 {
				t.Errorf("%d fills", n)
			}
		})
	}
}

func TestFillOutlivesItsLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off})
		k, size := key(1), 1000
		type ctxKey struct{}
		release := make(chan struct{})
		leaderCtx, cancel := context.WithCancel(context.WithValue(context.Background(), ctxKey{}, "leader"))
		leader := make(chan error)
		go func() {
			_, _, err := r.Do(leaderCtx, k, Options{}, func(ctx context.Context, w *Writer) error {
				<-release
				if ctx.Err() != nil || ctx.Value(ctxKey{}) != "leader" {
					t.Errorf("the fill's context: %v, %v", ctx.Err(), ctx.Value(ctxKey{}))
				}
				return writes(k, size)(ctx, w)
			})
			leader <- err
		}()
		synctest.Wait()
		follower := make(chan *Reader)
		go func() {
			rd, outcome, err := r.Do(context.Background(), k, Options{}, never(t))
			if err != nil || outcome != Joined {
				t.Errorf("follower: %v, %v", outcome, err)
			}
			follower <- rd
		}()
		synctest.Wait()
		cancel()
		if err := <-leader; !errors.Is(err, context.Canceled) {
			t.Errorf("leader: %v", err)
		}
		close(release)
		wantAnswer(t, <-follower, k, size)
	})
}

func TestFillEndsWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off})
		ended := make(chan struct{})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start := time.Now()
		_, _, err := r.Do(ctx, key(1), Options{}, func(ctx context.Context, w *Writer) error {
			<-ctx.Done()
			defer close(ended)
			time.Sleep(time.Second) // an engine that is slow to stop
			return writes(key(1), 10)(ctx, w)
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		// A new caller does not join a fill that is being ended.
		rd, outcome := r.must(t, key(1), writes(key(1), 10))
		if outcome != Filled || time.Since(start) != time.Second {
			t.Errorf("%v after %v", outcome, time.Since(start))
		}
		wantAnswer(t, rd, key(1), 10)
		<-ended
		r.fills.Wait()
		if n := value(t, r.m.fills.WithLabelValues("abandoned")); n != 1 {
			t.Errorf("%v abandoned", n)
		}
	})
}

func TestErrorIsSharedRefusalIsNot(t *testing.T) {
	boom := errors.New("corrupt source")
	for name, c := range map[string]struct {
		err          error
		fills, fails int32
	}{
		"error":   {boom, 1, 10},
		"refusal": {refusal{}, 10, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
				release := make(chan struct{})
				var fills, fails atomic.Int32
				var wg sync.WaitGroup
				for range 10 {
					wg.Go(func() {
						rd, _, err := r.Do(context.Background(), key(1), Options{}, func(ctx context.Context, w *Writer) error {
							if fills.Add(1) == 1 {
								<-release
								return c.err
							}
							// Every follower queues for itself; the first to be
							// admitted works for all.
							time.Sleep(time.Second)
							return writes(key(1), 10)(ctx, w)
						})
						if err != nil {
							fails.Add(1)
							return
						}
						wantAnswer(t, rd, key(1), 10)
					})
				}
				synctest.Wait()
				close(release)
				wg.Wait()
				r.fills.Wait()
				if fills.Load() != c.fills || fails.Load() != c.fails {
					t.Errorf("%d fills, %d fails, want %d, %d", fills.Load(), fails.Load(), c.fills, c.fails)
				}
				whole := value(t, r.m.fills.WithLabelValues("whole"))
				superseded := value(t, r.m.fills.WithLabelValues("superseded"))
				if name == "refusal" && (whole != 1 || superseded != 8) {
					t.Errorf("%v whole, %v superseded", whole, superseded)
				}
			})
		})
	}
}

// TestFirstAdmittedIsTheOneToJoin: of two fills of one key, the second gets
// its lease first; the one that was there before gives way, with its caller.
func TestFirstAdmittedIsTheOneToJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off})
		k, size := key(1), 100
		refuse, admit, parked, write := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
		var leaders atomic.Int32
		do := func(fill Fill, want Outcome) {
			rd, outcome, err := r.Do(context.Background(), k, Options{}, fill)
			if err != nil || outcome != want {
				t.Errorf("%v, %v, want %v", outcome, err, want)
				return
			}
			wantAnswer(t, rd, k, size)
		}
		go r.Do(context.Background(), k, Options{}, func(context.Context, *Writer) error { <-refuse; return refusal{} })
		synctest.Wait()
		var wg sync.WaitGroup
		// Both join the first, are left with its refusal and start their own.
		wg.Go(func() {
			do(func(_ context.Context, w *Writer) error { leaders.Add(1); <-parked; return w.Admitted() }, Joined)
		})
		synctest.Wait()
		wg.Go(func() {
			do(func(ctx context.Context, w *Writer) error {
				leaders.Add(1)
				<-admit
				if err := w.Admitted(); err != nil {
					return err
				}
				<-write
				return writes(k, size)(ctx, w)
			}, Filled)
		})
		synctest.Wait()
		close(refuse)
		synctest.Wait()
		if leaders.Load() != 2 {
			t.Errorf("%d fills", leaders.Load())
		}
		close(admit)
		synctest.Wait()
		wg.Go(func() { do(never(t), Joined) })
		synctest.Wait()
		close(parked)
		synctest.Wait()
		close(write)
		wg.Wait()
	})
}

func TestNestedJoinsOnlyWhatHoldsALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
		k, size := key(1), 100
		admit, write := make(chan struct{}), make(chan struct{})
		leader := make(chan struct{})
		go func() {
			defer close(leader)
			rd, _, err := r.Do(context.Background(), k, Options{}, func(ctx context.Context, w *Writer) error {
				<-admit
				if err := w.Admitted(); err != nil {
					return err
				}
				<-write
				return writes(k, size)(ctx, w)
			})
			if err != nil {
				t.Error(err)
				return
			}
			wantAnswer(t, rd, k, size)
		}()
		synctest.Wait()
		// The leader is parked: the nested call makes its own.
		own := make(chan struct{})
		nestedWrites := func(ctx context.Context, w *Writer) error {
			if err := w.Admitted(); err != nil {
				return err
			}
			<-own
			w.SetNote("note of " + k.Text)
			_, err := w.Write(answer(k, size))
			return err
		}
		nested := make(chan struct{})
		go func() {
			defer close(nested)
			rd, outcome, err := r.Do(context.Background(), k, Options{Nested: true}, nestedWrites)
			if err != nil || outcome != Filled {
				t.Errorf("beside a parked fill: %v, %v", outcome, err)
				return
			}
			wantAnswer(t, rd, k, size)
		}()
		synctest.Wait()
		// Once the leader has its lease, another nested call joins it.
		close(admit)
		synctest.Wait()
		second := make(chan struct{})
		go func() {
			defer close(second)
			rd, outcome, err := r.Do(context.Background(), k, Options{Nested: true}, never(t))
			if err != nil || outcome != Joined {
				t.Errorf("beside an admitted fill: %v, %v", outcome, err)
				return
			}
			wantAnswer(t, rd, k, size)
		}()
		synctest.Wait()
		close(write)
		<-leader
		<-second
		close(own)
		<-nested
	})
}

func TestNestedFillIsJoinedByNobodyAndEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off})
		k, size := key(1), 100
		var returned atomic.Bool
		ctx, cancel := context.WithCancel(context.Background())
		nested := make(chan error)
		go func() {
			_, _, err := r.Do(ctx, k, Options{Nested: true}, func(ctx context.Context, w *Writer) error {
				if err := w.Admitted(); err != nil {
					return err
				}
				<-ctx.Done()
				time.Sleep(time.Second)
				returned.Store(true)
				return ctx.Err()
			})
			if !returned.Load() {
				t.Error("Do returned while the fill still used the caller's lease")
			}
			nested <- err
		}()
		synctest.Wait()
		rd, outcome := r.must(t, k, writes(k, size))
		if outcome != Filled {
			t.Errorf("joined a nested fill: %v", outcome)
		}
		wantAnswer(t, rd, k, size)
		cancel()
		if err := <-nested; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestCallersComeAndGo: nothing but whole answers, whatever callers do.
func TestCallersComeAndGo(t *testing.T) {
	r := open(t, Config{MemoryBytes: 1 << 20, Bytes: 20 << 20, Files: 20})
	sizes := []int{1000, blockBytes, 5 * blockBytes, AnswerBytes + 100}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for n := range 60 {
				i := (g*7 + n) % 12
				k, size := key(i), sizes[i%len(sizes)]
				ctx, cancel := context.WithCancel(context.Background())
				if (g+n)%5 == 0 {
					go cancel()
				}
				rd, _, err := r.Do(ctx, k, Options{Nested: (g+n)%7 == 0}, func(ctx context.Context, w *Writer) error {
					if (g+n)%11 == 0 {
						return refusal{}
					}
					return writes(k, size)(ctx, w)
				})
				switch {
				case err == nil && n%3 == 0:
					io.CopyN(io.Discard, rd, int64(size/2))
					rd.Close()
				case err == nil:
					wantAnswer(t, rd, k, size)
				case !errors.Is(err, context.Canceled) && !errors.Is(err, refusal{}):
					t.Error(err)
				}
				if n%20 == 0 {
					r.Purge(context.Background(), Selector{Object: k.Object})
				}
				cancel()
			}
		})
	}
	wg.Wait()
	r.settle(t)
	s := r.Stat()
	if s.Files > 20 || s.Bytes > 20<<20 || onDisk(t, s.Dir) != s.Bytes {
		t.Errorf("%+v, %d on disk", s, onDisk(t, s.Dir))
	}
}
