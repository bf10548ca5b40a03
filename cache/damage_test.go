package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDamagedFileIsNeverServed changes stored files in any way a disk might,
// and reads them in a process that has not seen them, and in one that has.
func TestDamagedFileIsNeverServed(t *testing.T) {
	dir := t.TempDir()
	sizes := []int{1, 5000, blockBytes, 3*blockBytes + 5, AnswerBytes + 2*blockBytes}
	seed := open(t, Config{Dir: dir})
	whole := make(map[int][]byte)
	for i, size := range sizes {
		seed.fill(t, key(i), size)
		b, err := os.ReadFile(seed.disk.path(key(i).id()))
		if err != nil {
			t.Fatal(err)
		}
		whole[i] = b
	}
	rapid.Check(t, func(rt *rapid.T) {
		i := rapid.IntRange(0, len(sizes)-1).Draw(rt, "entry")
		path := seed.disk.path(key(i).id())
		b := mutate(rt, whole, i)
		same := bytes.Equal(b, whole[i])
		seenBefore := rapid.Bool().Draw(rt, "seen before")

		seed.disk.mu.Lock()
		n := seed.disk.ix.put(key(i).id(), int64(len(b)), time.Now())
		n.verified = seenBefore
		seed.disk.mu.Unlock()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			rt.Fatal(err)
		}
		rd, ok := seed.Get(key(i))
		if !ok {
			if same {
				rt.Fatal("a good file missed")
			}
			if _, err := os.Stat(path); err == nil {
				rt.Fatal("a damaged file was left")
			}
			return
		}
		defer rd.Close()
		e := &expect{want: answer(key(i), sizes[i])}
		_, err := io.Copy(e, rd)
		switch {
		case e.wrong:
			rt.Fatal("wrong bytes were served")
		case err == nil && len(e.want) > 0:
			rt.Fatal("an answer looked whole and was not")
		case err == nil && !same:
			rt.Fatal("a damaged file was served")
		case err != nil && (sizes[i] <= AnswerBytes || !seenBefore):
			rt.Fatalf("%v came after the head", err)
		}
	})
}

// mutate returns the file of entry i, damaged in one of many ways.
func mutate(rt *rapid.T, whole map[int][]byte, i int) []byte {
	b := bytes.Clone(whole[i])
	at := rapid.IntRange(0, len(b)-1).Draw(rt, "at")
	switch rapid.SampledFrom([]string{"bit", "cut", "hole", "longer", "other", "swap", "length", "none"}).Draw(rt, "damage") {
	case "bit":
		b[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
	case "cut":
		b = b[:at]
	case "hole": // a torn write: the length is there, the data is not
		clear(b[at/4096*4096:])
	case "longer":
		b = append(b, make([]byte, at+1)...)
	case "other":
		b = bytes.Clone(whole[(i+1)%len(whole)])
	case "swap":
		if len(b) > 3*blockBytes {
			x := bytes.Clone(b[1000:][:blockBytes])
			copy(b[1000:], b[1000+blockBytes:][:blockBytes])
			copy(b[1000+blockBytes:], x)
		}
	case "length": // of a string in the header, or of the data
		field := rapid.SampledFrom([]int{16, 20, 24, len(b) - tailFixed}).Draw(rt, "field")
		binary.LittleEndian.PutUint32(b[field:], rapid.Uint32().Draw(rt, "value"))
	}
	return b
}

// TestDamageFoundWhileReading: rot in a large file after it was checked ends
// the transfer and the entry.
func TestDamageFoundWhileReading(t *testing.T) {
	r := open(t, Config{})
	k, size := key(1), 2*AnswerBytes
	r.fill(t, k, size)
	path := r.disk.path(k.id())
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rd, ok := r.Get(k)
	if !ok {
		t.Fatal("miss")
	}
	defer rd.Close()
	if _, err := f.WriteAt([]byte("rot"), int64(size/2)); err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, rd)
	if !errors.Is(err, errDamaged) || n >= int64(size) {
		t.Errorf("%d bytes, %v", n, err)
	}
	r.wantErrors(t, kindDamaged, 1)
	rd2, outcome := r.must(t, k, writes(k, size))
	if outcome != Filled {
		t.Errorf("afterwards: %v", outcome)
	}
	wantAnswer(t, rd2, k, size)
	// What the old reader finds does not end the new entry.
	r.settle(t)
	r.disk.discard(k.id(), rd.content.(*stored), errDamaged)
	if _, ok := r.Has(k); !ok || len(files(t, r.disk.dir)) != 1 {
		t.Error("the new entry is gone")
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	r := open(t, Config{Dir: dir})
	for i := range 10 {
		r.fill(t, key(i), 1000)
	}
	for _, path := range files(t, dir)[:3] {
		if err := os.Truncate(path, 500); err != nil {
			t.Fatal(err)
		}
	}
	offline, err := OpenDir(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if v, err := offline.Verify(ctx, false); err != nil || v.Files != 10 || v.Damaged != 3 || len(files(t, dir)) != 10 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := offline.Verify(ctx, true); !errors.Is(err, ErrInUse) {
		t.Errorf("beside a running cache: %v", err)
	}
	if v, err := r.Verify(ctx); err != nil || v.Damaged != 3 || len(files(t, dir)) != 7 || r.Stat().Files != 7 {
		t.Errorf("%+v, %v, %+v", v, err, r.Stat())
	}
	r.Close()
	if err := os.Truncate(files(t, dir)[0], 500); err != nil {
		t.Fatal(err)
	}
	if v, err := offline.Verify(ctx, true); err != nil || v.Damaged != 1 || len(files(t, dir)) != 6 {
		t.Errorf("%+v, %v", v, err)
	}
}

func FuzzReadLayout(f *testing.F) {
	h := head{nonce: 7, key: Key{"object", "text"}, note: "note"}
	b := append(h.encode(), "data"...)
	b = append(b, encodeTail(h.nonce, appendSum(nil, h.nonce, 0, []byte("data")), 4)...)
	f.Add(b)
	f.Add(b[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := readLayout(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
			return
		}
		again := append(l.encode(), b[l.at:l.at+l.n]...)
		again = append(again, encodeTail(l.nonce, l.sums, l.n)...)
		if !bytes.Equal(again, b) {
			t.Fatalf("%q is read and written as %q", b, again)
		}
	})
}
