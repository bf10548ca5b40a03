package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestLargeAnswerLeavesEarly: the first bytes are read before the last are
// written, and a reader that does not read holds nobody up.
func TestLargeAnswerLeavesEarly(t *testing.T) {
	r := open(t, Config{})
	k, size := key(1), AnswerBytes+10*blockBytes
	all := answer(k, size)
	more := make(chan struct{})
	fill := func(_ context.Context, w *Writer) error {
		w.SetNote("note of " + k.Text)
		if _, err := w.Write(all[:AnswerBytes+blockBytes]); err != nil {
			return err
		}
		<-more
		_, err := w.Write(all[AnswerBytes+blockBytes:])
		return err
	}
	early, _ := r.must(t, k, fill)
	idle, outcome := r.must(t, k, never(t))
	if outcome != Joined {
		t.Errorf("outcome %v", outcome)
	}
	got := make([]byte, AnswerBytes)
	if _, err := io.ReadFull(early, got); err != nil || !bytes.Equal(got, all[:AnswerBytes]) {
		t.Fatalf("reading early: %v", err)
	}
	if n, known := early.Size(); known {
		t.Errorf("size %d known early", n)
	}
	if _, err := early.Seek(0, io.SeekStart); !errors.Is(err, ErrNotSeekable) {
		t.Errorf("seek in a growing answer: %v", err)
	}
	if used := r.ledger.Used(); used != 0 {
		t.Errorf("%d bytes booked beside the spool", used)
	}
	close(more)
	rest, err := io.ReadAll(early)
	if err != nil || !bytes.Equal(rest, all[AnswerBytes:]) {
		t.Errorf("the rest: %d bytes, %v", len(rest), err)
	}
	early.Close()
	r.settle(t)
	if s := r.Stat(); s.Files != 1 {
		t.Errorf("%+v", s)
	}
	// The entry is evicted; who has it open reads on.
	r.SetDiskBytes(1)
	if s := r.Stat(); s.Files != 0 {
		t.Errorf("%+v", s)
	}
	wantAnswer(t, idle, k, size)
}

func TestFailureAfterBytesReachesEveryReader(t *testing.T) {
	boom := errors.New("boom")
	for name, cfg := range map[string]Config{"spool": {}, "memory": {Dir: Off}} {
		t.Run(name, func(t *testing.T) {
			r := open(t, cfg)
			k := key(1)
			fail := make(chan struct{})
			fill := func(_ context.Context, w *Writer) error {
				w.Write(answer(k, AnswerBytes+blockBytes))
				<-fail
				return boom
			}
			a, _ := r.must(t, k, fill)
			b, _ := r.must(t, k, never(t))
			if _, err := io.CopyN(io.Discard, a, 1000); err != nil {
				t.Fatal(err)
			}
			close(fail)
			for _, rd := range []*Reader{a, b} {
				if _, err := io.Copy(io.Discard, rd); !errors.Is(err, boom) {
					t.Errorf("a reader got %v", err)
				}
				rd.Close()
			}
			r.settle(t)
			if _, ok := r.Get(k); ok || cfg.Dir == "" && len(files(t, r.disk.dir)) > 0 {
				t.Error("a broken answer was kept")
			}
			if list, err := os.ReadDir(r.disk.temp()); cfg.Dir == "" && (err != nil || len(list) > 0) {
				t.Errorf("temporary files are left: %v, %v", list, err)
			}
		})
	}
}

func TestCloseUnblocksRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off})
		cancelled := make(chan struct{})
		rd, _ := r.must(t, key(1), func(ctx context.Context, w *Writer) error {
			w.Write(answer(key(1), AnswerBytes+1))
			<-ctx.Done()
			close(cancelled)
			return ctx.Err()
		})
		read := make(chan error)
		go func() {
			_, err := io.Copy(io.Discard, rd)
			read <- err
		}()
		synctest.Wait()
		rd.Close()
		rd.Close()
		if err := <-read; !errors.Is(err, ErrClosed) {
			t.Errorf("read: %v", err)
		}
		<-cancelled
	})
}

// TestWithoutDiskTheWriterWaits: no disk and a ledger of five blocks; the
// writer stays at most those and its own block ahead of the slowest reader.
func TestWithoutDiskTheWriterWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
		ledger := NewLedger(5 * blockBytes)
		k, size := key(1), 2*AnswerBytes
		all := answer(k, size)
		written := make(chan int, size/1024+1)
		rd, outcome, err := r.Do(context.Background(), k, Options{Ledger: ledger}, func(_ context.Context, w *Writer) error {
			for i := 0; i < size; i += 1024 {
				if _, err := w.Write(all[i : i+1024]); err != nil {
					return err
				}
				written <- i + 1024
			}
			return nil
		})
		if err != nil || outcome != Filled {
			t.Fatal(outcome, err)
		}
		buf := make([]byte, 10_000)
		at, wrote := 0, 0
		for {
			synctest.Wait()
			for len(written) > 0 {
				wrote = <-written
			}
			if ahead := wrote - at; ahead > 6*blockBytes || ledger.Used() > 5*blockBytes {
				t.Fatalf("%d bytes ahead, %d booked", ahead, ledger.Used())
			}
			n, err := rd.Read(buf)
			if !bytes.Equal(buf[:n], all[at:at+n]) {
				t.Fatalf("wrong bytes at %d", at)
			}
			at += n
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if at > 10*blockBytes && at < 11*blockBytes {
				// The beginning is gone: a newcomer cannot join.
				other, outcome := r.must(t, k, writes(k, 100))
				if outcome != Filled {
					t.Fatalf("newcomer: %v", outcome)
				}
				wantAnswer(t, other, k, 100)
				r.memory.purge(func(*blob) bool { return true })
			}
		}
		if at != size {
			t.Errorf("read %d of %d", at, size)
		}
		if _, known := rd.Size(); known {
			t.Error("seekable without its beginning")
		}
		rd.Close()
		if n := ledger.Used(); n != 0 {
			t.Errorf("%d bytes still booked", n)
		}
		if _, ok := r.Get(k); ok {
			t.Error("an answer without its beginning was kept")
		}
	})
}

// TestWriterIsFreedByTheEndOfASlowReader: the writer waits for a reader that
// never reads, until that one closes.
func TestWriterIsFreedByTheEndOfASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: Off})
		k, size := key(1), 20*blockBytes
		begin := make(chan struct{})
		slow, fast := make(chan *Reader), make(chan *Reader)
		do := func(got chan *Reader, fill Fill) {
			rd, _, err := r.Do(context.Background(), k, Options{Ledger: NewLedger(0)}, fill)
			if err != nil {
				t.Error(err)
			}
			got <- rd
		}
		go do(slow, func(ctx context.Context, w *Writer) error { <-begin; return writes(k, size)(ctx, w) })
		synctest.Wait()
		go do(fast, never(t))
		synctest.Wait()
		close(begin)
		rd, idle := <-fast, <-slow
		start := time.Now()
		time.AfterFunc(time.Minute, func() { idle.Close() })
		wantAnswer(t, rd, k, size)
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("the writer waited %v", waited)
		}
	})
}

// TestLedgerExhaustedGoesToDisk: small answers are spooled when no memory is
// left for them.
func TestLedgerExhaustedGoesToDisk(t *testing.T) {
	r := open(t, Config{MemoryBytes: 1 << 20})
	for i := range 3 {
		k := key(i)
		rd, _, err := r.Do(context.Background(), k, Options{Ledger: NewLedger(2 * blockBytes)}, writes(k, 3*blockBytes+1))
		if err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, rd, k, 3*blockBytes+1)
	}
	r.settle(t)
	if s := r.Stat(); s.Files != 3 {
		t.Errorf("%+v", s)
	}
}

// TestSpoolIsBounded: an answer that outgrows the spool is served whole
// through memory, and is not kept.
func TestSpoolIsBounded(t *testing.T) {
	r := open(t, Config{SpoolBytes: AnswerBytes + 4*blockBytes})
	k, size := key(1), 2*AnswerBytes
	ledger := NewLedger(3 * blockBytes)
	rd, _, err := r.Do(context.Background(), k, Options{Ledger: ledger}, writes(k, size))
	if err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, rd, k, size)
	r.settle(t)
	if n := ledger.Used(); n != 0 {
		t.Errorf("%d bytes still booked", n)
	}
	r.wantErrors(t, kindSpoolFull, 1)
	if _, ok := r.Get(k); ok {
		t.Error("kept")
	}
}

// TestFillThatIgnoresAFailedWrite: an answer with a gap is not whole, even if
// its fill says so.
func TestFillThatIgnoresAFailedWrite(t *testing.T) {
	r := open(t, Config{MemoryBytes: 1 << 20})
	k := key(1)
	ctx, cancel := context.WithCancel(context.Background())
	var wrote error
	_, _, err := r.Do(ctx, k, Options{}, func(fillCtx context.Context, w *Writer) error {
		w.Write(answer(k, blockBytes))
		cancel()
		<-fillCtx.Done()
		w.Write(answer(k, blockBytes))
		_, wrote = w.Write([]byte("end"))
		return nil
	})
	r.settle(t)
	if !errors.Is(err, context.Canceled) || wrote == nil {
		t.Errorf("Do: %v, Write: %v", err, wrote)
	}
	if _, ok := r.Get(k); ok {
		t.Error("kept")
	}
}
