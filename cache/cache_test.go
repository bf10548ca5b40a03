package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// answers keeps what answer made, for tests that ask for it often.
var answers sync.Map

// answer is what a fill of that key writes: size bytes that depend on it.
func answer(key Key, size int) []byte {
	type question struct {
		key  Key
		size int
	}
	if b, ok := answers.Load(question{key, size}); ok {
		return b.([]byte)
	}
	h := fnv.New64a()
	fmt.Fprint(h, key.Object, "|", key.Text, size)
	b := make([]byte, size)
	rand.NewChaCha8([32]byte(h.Sum(make([]byte, 24)))).Read(b)
	answers.Store(question{key, size}, b)
	return b
}

// writes returns a fill of that many bytes.
func writes(key Key, size int) Fill {
	return func(_ context.Context, w *Writer) error {
		if err := w.Admitted(); err != nil {
			return err
		}
		w.SetNote("note of " + key.Text)
		_, err := io.Copy(w, struct{ io.Reader }{bytes.NewReader(answer(key, size))})
		return err
	}
}

// never is a fill that must not run.
func never(t *testing.T) Fill {
	t.Helper()
	return func(context.Context, *Writer) error {
		t.Error("the fill ran")
		return errors.New("the fill ran")
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// rig is a cache with what a test looks at.
type rig struct {
	*Cache
	ledger *FixedLedger
	logged *syncBuffer
}

// open opens a cache; zero fields of cfg get small values. It is closed with
// the test, and must then hold no memory of the ledger's.
func open(tb testing.TB, cfg Config) *rig {
	tb.Helper()
	if cfg.Dir == "" {
		cfg.Dir = tb.TempDir()
	}
	if cfg.Bytes == 0 {
		cfg.Bytes = 1 << 30
	}
	r := &rig{ledger: NewLedger(64 << 20), logged: &syncBuffer{}}
	log := slog.New(slog.NewTextHandler(r.logged, nil))
	c, err := New(cfg, r.ledger, log, prometheus.NewRegistry())
	if err != nil {
		tb.Fatal(err)
	}
	r.Cache = c
	tb.Cleanup(func() {
		c.Close()
		if n := r.ledger.Used(); n != 0 {
			tb.Errorf("%d bytes are still booked", n)
		}
		if s := c.Stat(); s.TemporaryBytes != 0 {
			tb.Errorf("%d bytes of spool are still booked", s.TemporaryBytes)
		}
	})
	return r
}

// settle waits until what fills wrote is stored and the directory is indexed.
func (r *rig) settle(tb testing.TB) {
	tb.Helper()
	r.fills.Wait()
	r.awaitIndex()
}

// awaitIndex waits for the walk that New started.
func (r *rig) awaitIndex() {
	for r.Stat().Indexing {
		// The walk is a goroutine of its own that needs no event to go on.
		yieldNow()
	}
}

func (r *rig) must(tb testing.TB, key Key, fill Fill) (*Reader, Outcome) {
	tb.Helper()
	rd, outcome, err := r.Do(context.Background(), key, Options{}, fill)
	if err != nil {
		tb.Fatalf("Do(%v): %v", key, err)
	}
	return rd, outcome
}

// fill makes the answer, checks it and waits until it is stored.
func (r *rig) fill(tb testing.TB, key Key, size int) {
	tb.Helper()
	rd, _ := r.must(tb, key, writes(key, size))
	wantAnswer(tb, rd, key, size)
	r.settle(tb)
}

// expect is a writer that compares.
type expect struct {
	want  []byte
	wrong bool
}

func (e *expect) Write(p []byte) (int, error) {
	if len(p) > len(e.want) || !bytes.Equal(p, e.want[:len(p)]) {
		e.wrong = true
		return 0, errors.New("wrong bytes")
	}
	e.want = e.want[len(p):]
	return len(p), nil
}

// wantAnswer reads and closes the reader.
func wantAnswer(tb testing.TB, r *Reader, key Key, size int) {
	tb.Helper()
	defer r.Close()
	e := &expect{want: answer(key, size)}
	if n, err := io.Copy(e, r); err != nil || len(e.want) > 0 {
		tb.Errorf("%v: read %d bytes of %d, then %v", key, n, size, err)
	}
	if want := "note of " + key.Text; r.Note() != want {
		tb.Errorf("%v: note %q, want %q", key, r.Note(), want)
	}
}

func (r *rig) wantErrors(tb testing.TB, kind string, n int) {
	tb.Helper()
	if got := value(tb, r.m.errors.WithLabelValues(kind)); int(got) != n {
		tb.Errorf("%v errors of kind %s, want %d", got, kind, n)
	}
}

// value is a counter's or gauge's.
func value(tb testing.TB, m prometheus.Metric) float64 {
	tb.Helper()
	var out dto.Metric
	if err := m.Write(&out); err != nil {
		tb.Fatal(err)
	}
	return out.GetCounter().GetValue() + out.GetGauge().GetValue()
}

func key(i int) Key {
	return Key{Object: fmt.Sprintf("object %d", i/4), Text: fmt.Sprintf("text %d", i)}
}

// files lists the entries' files.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	list, err := filepath.Glob(filepath.Join(dir, layoutDir, "??", "*-*"))
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

func onDisk(tb testing.TB, dir string) (bytes int64) {
	tb.Helper()
	for _, f := range files(tb, dir) {
		info, err := os.Stat(f)
		if err != nil {
			tb.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

func TestSizesThroughEveryTier(t *testing.T) {
	for _, size := range []int{
		1, 100, blockBytes - 1, blockBytes, blockBytes + 1, 3*blockBytes + 7,
		AnswerBytes - 1, AnswerBytes, AnswerBytes + 1, AnswerBytes + 5*blockBytes, 2*AnswerBytes + 13,
	} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			dir, k := t.TempDir(), key(1)
			r := open(t, Config{Dir: dir, MemoryBytes: 16 << 20})
			rd, outcome := r.must(t, k, writes(k, size))
			if n, known := rd.Size(); size <= AnswerBytes && (!known || n != int64(size)) || outcome != Filled {
				t.Errorf("size %d %v, %v", n, known, outcome)
			}
			wantAnswer(t, rd, k, size)
			r.settle(t)

			want := Memory
			if size > AnswerBytes {
				want = Disk
			}
			rd, outcome = r.must(t, k, never(t))
			if n, known := rd.Size(); !known || n != int64(size) || outcome != want {
				t.Errorf("again: size %d %v, %v, want %v", n, known, outcome, want)
			}
			wantAnswer(t, rd, k, size)
			r.Close()

			r = open(t, Config{Dir: dir})
			rd, outcome = r.must(t, k, never(t))
			if outcome != Disk {
				t.Errorf("after a restart: %v", outcome)
			}
			wantAnswer(t, rd, k, size)
		})
	}
}

func TestSeek(t *testing.T) {
	r := open(t, Config{})
	k, size := key(1), AnswerBytes+blockBytes/2
	r.fill(t, k, size)
	rd, ok := r.Get(k)
	if !ok {
		t.Fatal("miss")
	}
	defer rd.Close()
	all := answer(k, size)
	for _, at := range []int64{0, 5, blockBytes - 3, blockBytes, int64(size) - 1} {
		if _, err := rd.Seek(at-int64(size), io.SeekEnd); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1000)
		n, err := io.ReadFull(rd, b)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
		if !bytes.Equal(b[:n], all[at:min(at+1000, int64(size))]) {
			t.Errorf("wrong bytes at %d", at)
		}
	}
	if _, err := rd.Seek(-1, io.SeekStart); err == nil {
		t.Error("sought before the beginning")
	}
	if _, err := rd.Seek(10, io.SeekEnd); err != nil {
		t.Error(err)
	}
	if n, err := rd.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %d, %v", n, err)
	}
}

func TestNothingIsCachedOfFailures(t *testing.T) {
	r := open(t, Config{MemoryBytes: 1 << 20})
	boom := errors.New("corrupt source")
	for name, fill := range map[string]Fill{
		"error":              func(context.Context, *Writer) error { return boom },
		"error after bytes":  func(_ context.Context, w *Writer) error { w.Write([]byte("half")); return boom },
		"no bytes":           func(context.Context, *Writer) error { return nil },
		"panic":              func(context.Context, *Writer) error { panic("ouch") },
		"panic after bytes":  func(_ context.Context, w *Writer) error { w.Write([]byte("half")); panic("ouch") },
		"runtime.Goexit":     func(context.Context, *Writer) error { goexit(); return nil },
		"wrapped own":        func(context.Context, *Writer) error { return fmt.Errorf("x: %w", refusal{}) },
		"context of its own": func(context.Context, *Writer) error { return context.DeadlineExceeded },
	} {
		rd, outcome, err := r.Do(context.Background(), key(1), Options{}, fill)
		if err == nil || rd != nil || outcome != Filled {
			t.Errorf("%s: %v, %v, %v", name, rd, outcome, err)
		}
		if _, ok := errors.AsType[*PanicError](err); ok != strings.HasPrefix(name, "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.settle(t)
	if _, ok := r.Get(key(1)); ok {
		t.Error("a failure was cached")
	}
	if s := r.Stat(); s.Files != 0 || s.MemoryEntries != 0 {
		t.Errorf("%+v", s)
	}
}

func TestClosed(t *testing.T) {
	r := open(t, Config{})
	r.fill(t, key(1), 10)
	began, failed := make(chan struct{}), make(chan error)
	go func() {
		_, _, err := r.Do(context.Background(), key(2), Options{}, func(ctx context.Context, _ *Writer) error {
			close(began)
			<-ctx.Done()
			return ctx.Err()
		})
		failed <- err
	}()
	<-began
	r.Close()
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("a fill at Close: %v", err)
	}
	if _, _, err := r.Do(context.Background(), key(3), Options{}, never(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("Do after Close: %v", err)
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	if _, err := New(Config{Dir: Off, Bytes: -1}, NewLedger(1), log, nil); err == nil {
		t.Error("a negative bound passed")
	}
	if _, err := New(Config{Dir: Off}, nil, log, nil); err == nil {
		t.Error("no ledger passed")
	}
}
