package cache

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// flight is one fill on its way, with those who wait for it and read it.
type flight struct {
	c       *Cache
	key     Key
	id      id
	nested  bool
	insists bool // does not believe that there is an entry
	started time.Time
	stream  *stream
	cancel  context.CancelCauseFunc

	// published is closed when the answer can be read or has failed; then
	// note and err are set for good.
	published chan struct{}
	publishes sync.Once
	note      string
	err       error
	// returned is closed when the fill has returned.
	returned chan struct{}

	// Guarded by Cache.mu.
	admitted bool
	stale    bool // purged: must not become an entry
}

// publish lets the callers of Do go on.
func (f *flight) publish(note string) {
	f.publishes.Do(func() {
		f.note = note
		close(f.published)
	})
}

// publishError makes the callers of Do fail; without effect on a published
// answer, whose readers learn it from the stream.
func (f *flight) publishError(err error) {
	f.publishes.Do(func() {
		f.err = err
		close(f.published)
	})
}

// admit implements Writer.Admitted. The first fill of a key to hold a lease
// is the one that others join, whichever was there first.
func (f *flight) admit() error {
	c := f.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := f.stream.ended(); err != nil {
		return err
	}
	first := c.flights[f.id]
	if first != f {
		if first != nil && first.admitted || !f.insists && !f.stale && c.has(f.id) {
			return errSuperseded
		}
		if !f.nested && !f.stale {
			c.flights[f.id] = f
		}
	}
	f.admitted = true
	return nil
}

// leave takes a reader out. The last one to leave an answer that is not whole
// ends its fill. A nested caller waits for the fill, whose lease is its own.
func (f *flight) leave(r *Reader) {
	f.c.mu.Lock()
	useless, unused := f.stream.detach(r)
	if useless {
		// Both under the mutex: nobody joins a fill that is being ended.
		f.unlistLocked()
		f.cancel(errAbandoned)
	}
	f.c.mu.Unlock()
	if unused != nil {
		unused.drop()
	}
	if f.nested {
		f.cancel(errAbandoned)
		<-f.returned
	}
}

func (f *flight) unlistLocked() {
	if f.c.flights[f.id] == f {
		delete(f.c.flights, f.id)
	}
}

// joined is the content of a Reader that waits for, or reads, a flight.
type joined struct{ *flight }

func (j joined) view(r *Reader, off int64) ([]byte, error) { return j.stream.view(r, off) }
func (j joined) length() (int64, bool)                     { return j.stream.length() }
func (j joined) leave(r *Reader)                           { j.flight.leave(r) }

// run executes the fill and brings its answer where it belongs.
func (f *flight) run(ctx context.Context, fill Fill) {
	stopWaking := context.AfterFunc(ctx, f.stream.wake)
	defer stopWaking()
	defer f.cancel(nil)

	w := &Writer{f: f, s: f.stream}
	err := errExited
	// Deferred, so that a fill that ends its goroutine leaves nothing behind.
	defer func() {
		w.close()
		close(f.returned)
		if err == nil {
			err = w.finish()
		}
		if err == nil {
			f.complete(w)
		} else {
			f.fail(w, err)
		}
	}()
	err = f.call(ctx, w, fill)
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
}

// call runs the fill and turns its panic into an error.
func (f *flight) call(ctx context.Context, w *Writer, fill Fill) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
			f.c.log.ErrorContext(ctx, "fill panicked", slog.String("object", f.key.Object), slog.Any("error", err), slog.String("stack", string(debug.Stack())))
		}
	}()
	return fill(ctx, w)
}

// complete publishes a whole answer and keeps it. While it is written to
// disk the flight stays listed, so that nobody makes it again.
func (f *flight) complete(w *Writer) {
	c := f.c
	f.stream.end(nil)
	if w.mode == buffering {
		f.remember(w.note)
	}
	f.publish(w.note)
	c.m.fills.WithLabelValues("whole").Inc()
	if w.mode == buffering {
		if c.storing.Add(1) <= mostStoring {
			w.spool = f.spoolChunks(w.note)
		} else {
			c.m.errors.WithLabelValues(kindSkipped).Inc()
		}
		defer c.storing.Add(-1)
	}
	if w.spool != nil && !w.spool.gone {
		// Whatever is wrong has been counted where it was found; the answer
		// is served all the same.
		if err := c.disk.commit(w.spool, f.id, f.current); err != nil {
			c.log.Debug("answer not stored", slog.Any("error", err))
		}
	}
	if w.mode == buffering && w.spool != nil {
		w.spool.drop()
	}
	f.end()
}

// remember adds a small answer to the memory tier.
func (f *flight) remember(note string) {
	b := &blob{key: f.key, id: f.id, note: note, made: time.Now(), n: f.stream.size, chunks: f.stream.chunks}
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if !f.stale {
		f.c.memory.add(b)
	}
}

// spoolChunks writes a small answer to a file; nil where there is none.
func (f *flight) spoolChunks(note string) *spool {
	s, err := f.c.disk.create(f.key, note)
	if err != nil {
		return nil
	}
	for _, block := range f.stream.chunks {
		if err = s.write(block); err != nil {
			break
		}
	}
	if err == nil {
		err = s.finish()
	}
	if err != nil {
		s.abandon()
	}
	return s
}

// current tells whether the answer may become an entry.
func (f *flight) current() bool {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	return !f.stale
}

// fail makes everybody who waits or reads fail. The flight is unlisted
// before, so that those who try again do not find it.
func (f *flight) fail(w *Writer, err error) {
	f.stream.end(err)
	if w.spool != nil {
		w.spool.abandon()
	}
	f.c.m.fills.WithLabelValues(f.result(err)).Inc()
	f.end()
	f.publishError(err)
}

func (f *flight) result(err error) string {
	switch {
	case errors.Is(err, errSuperseded):
		return "superseded"
	case notShared(err):
		return "refused"
	}
	f.stream.mu.Lock()
	defer f.stream.mu.Unlock()
	if len(f.stream.readers) == 0 {
		return "abandoned"
	}
	return "failed"
}

// end takes the flight off the lists. Its bytes stay until the last reader
// has left.
func (f *flight) end() {
	f.c.mu.Lock()
	f.unlistLocked()
	delete(f.c.running, f)
	f.c.m.inFlight.Set(float64(len(f.c.running)))
	f.c.mu.Unlock()
	if unused := f.stream.settle(); unused != nil {
		unused.drop()
	}
}
