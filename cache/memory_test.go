package cache

import (
	"context"
	"io"
	"testing"
)

func TestMemoryTierIsBoundedByWhatIsHeld(t *testing.T) {
	const cost = 1000 + blobOverhead
	r := open(t, Config{Dir: Off, MemoryBytes: 3 * cost})
	for i := range 3 {
		r.fill(t, key(i), 1000)
	}
	held, ok := r.Get(key(0))
	if !ok {
		t.Fatal("miss")
	}
	r.fill(t, key(3), 1000) // evicts 1, the oldest
	if _, ok := r.Has(key(1)); ok {
		t.Error("key 1 outlived key 0")
	}
	r.fill(t, key(4), 1000) // evicts 2
	r.fill(t, key(5), 1000) // evicts 0, which is held, and 3
	s := r.Stat()
	if s.MemoryEntries != 2 || s.MemoryBytes != 3*cost {
		t.Errorf("%+v", s)
	}
	r.SetMemoryBytes(2 * cost)
	if s := r.Stat(); s.MemoryEntries != 1 || s.MemoryBytes != 2*cost {
		t.Errorf("after the bound fell: %+v", s)
	}
	r.SetMemoryBytes(cost)
	r.fill(t, key(6), 1000) // does not fit beside the one that is held
	if s := r.Stat(); s.MemoryEntries != 0 || s.MemoryBytes != cost {
		t.Errorf("with one held: %+v", s)
	}
	wantAnswer(t, held, key(0), 1000)
	if s := r.Stat(); s.MemoryBytes != 0 {
		t.Errorf("after its end: %+v", s)
	}
	r.fill(t, key(7), 1000)
	if rd, ok := r.Get(key(7)); !ok {
		t.Error("miss")
	} else {
		wantAnswer(t, rd, key(7), 1000)
	}
}

// TestHitFromDiskIsBooked: where the memory tier does not keep it, the ledger
// has the bytes until the reader closes; where it has no room either, the
// answer is read from its file.
func TestHitFromDiskIsBooked(t *testing.T) {
	r := open(t, Config{})
	r.fill(t, key(1), 1000)
	rd, _ := r.Get(key(1))
	if n := r.ledger.Used(); n != 1000 {
		t.Errorf("%d booked", n)
	}
	wantAnswer(t, rd, key(1), 1000)
	full := r.ledger.limit
	if !r.ledger.Reserve(full) {
		t.Fatal("the ledger is not free")
	}
	rd, ok := r.Get(key(1))
	if !ok {
		t.Fatal("miss")
	}
	wantAnswer(t, rd, key(1), 1000)
	r.ledger.Release(full)
}

func BenchmarkKey(b *testing.B) {
	k := Key{Object: "collection/volume 12/page 0034.tif", Text: "v3|1024,2048,512,512/512,/0/default.jpg|q80|420|size-mtime"}
	for b.Loop() {
		_ = k.id()
	}
}

func benchmarkHit(b *testing.B, cfg Config, size int) {
	b.Helper()
	r := open(b, cfg)
	r.fill(b, key(1), size)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		rd, ok := r.Get(key(1))
		if !ok {
			b.Fatal("miss")
		}
		if _, err := rd.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
		rd.Close()
	}
}

func BenchmarkMemoryHit(b *testing.B)    { benchmarkHit(b, Config{MemoryBytes: 8 << 20}, 30_000) }
func BenchmarkMemoryHit4M(b *testing.B)  { benchmarkHit(b, Config{MemoryBytes: 8 << 20}, AnswerBytes) }
func BenchmarkDiskHit(b *testing.B)      { benchmarkHit(b, Config{}, 30_000) }
func BenchmarkDiskHitLarge(b *testing.B) { benchmarkHit(b, Config{}, 20<<20) }

func fillOf(data []byte) Fill {
	return func(_ context.Context, w *Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func BenchmarkFill(b *testing.B) {
	r := open(b, Config{MemoryBytes: 8 << 20})
	data := answer(key(1), 30_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rd, _ := r.must(b, key(i), fillOf(data))
		if _, err := rd.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
		rd.Close()
	}
	r.fills.Wait()
}

// TestMemoryBytes: what is held counts, not what may be.
func TestMemoryBytes(t *testing.T) {
	c := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
	if n := c.MemoryBytes(); n != 0 {
		t.Errorf("empty: %d", n)
	}
	c.fill(t, key(1), 50_000)
	if n := c.MemoryBytes(); n != 50_000+blobOverhead {
		t.Errorf("%d, want %d", n, 50_000+blobOverhead)
	}
}
