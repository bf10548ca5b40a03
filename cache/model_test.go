package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAgainstModel runs random operations, one at a time, against a list of
// keys in order of use. The disk tier must hold exactly what the model says.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := rapid.IntRange(1, 6).Draw(rt, "files")
		limit := rapid.Int64Range(2000, 20_000).Draw(rt, "bytes")
		memory := rapid.SampledFrom([]int64{0, 3000, 10_000}).Draw(rt, "memory")
		cfg := Config{Dir: t.TempDir(), Bytes: limit, Files: files, MemoryBytes: memory}
		r := open(t, cfg)
		r.settle(t)
		m := &model{files: files, limit: limit, sizes: make(map[int]int)}
		rt.Repeat(map[string]func(*rapid.T){
			"do": func(rt *rapid.T) {
				i, size := rapid.IntRange(0, 9).Draw(rt, "key"), rapid.IntRange(1, 6000).Draw(rt, "size")
				had, known := m.sizes[i]
				rd, outcome, err := r.Do(context.Background(), key(i), Options{}, writes(key(i), size))
				if err != nil {
					rt.Fatal(err)
				}
				if hit := outcome != Filled; hit != known && outcome != Memory {
					rt.Fatalf("%v, model has it: %v", outcome, known)
				}
				if outcome == Filled {
					had = size
				}
				m.wantAnswer(rt, rd, i, had, outcome)
				r.fills.Wait()
				if outcome == Filled {
					m.put(i, size)
				} else {
					m.touch(i)
				}
			},
			"get": func(rt *rapid.T) {
				i := rapid.IntRange(0, 9).Draw(rt, "key")
				had, known := m.sizes[i]
				rd, ok := r.Get(key(i))
				if known && !ok {
					rt.Fatal("missed")
				}
				if ok {
					m.wantAnswer(rt, rd, i, had, Disk)
					m.touch(i)
				}
			},
			"fail": func(rt *rapid.T) {
				i := rapid.IntRange(0, 9).Draw(rt, "key")
				rd, outcome, err := r.Do(context.Background(), key(i), Options{}, func(_ context.Context, w *Writer) error {
					w.Write([]byte("part"))
					return errors.New("boom")
				})
				if (err == nil) != (outcome != Filled) {
					rt.Fatalf("%v, %v", outcome, err)
				}
				if err == nil {
					rd.Close()
					m.touch(i)
				}
			},
			"purge": func(rt *rapid.T) {
				i := rapid.IntRange(0, 9).Draw(rt, "key")
				if _, err := r.Purge(context.Background(), Selector{Object: key(i).Object}); err != nil {
					rt.Fatal(err)
				}
				m.purge(key(i).Object)
			},
			"restart": func(*rapid.T) {
				r.Close()
				r = open(t, cfg)
				r.settle(t)
				// Uses within one second, and hits from memory, have no
				// order on disk: keep the model's by using all anew.
				for _, i := range slices.Backward(m.order) {
					rd, ok := r.Get(key(i))
					if !ok {
						rt.Fatalf("lost key %d by a restart", i)
					}
					rd.Close()
				}
			},
			"": func(rt *rapid.T) {
				s := r.Stat()
				if s.Files != len(m.order) || s.Bytes != m.bytes() || s.Bytes > limit || s.Files > files {
					rt.Fatalf("%d files, %d bytes; model %d, %d", s.Files, s.Bytes, len(m.order), m.bytes())
				}
				if n := onDisk(t, cfg.Dir); n != s.Bytes {
					rt.Fatalf("%d bytes on disk, %d in the index", n, s.Bytes)
				}
				if s.MemoryBytes > memory || r.ledger.Used() != 0 {
					rt.Fatalf("%+v, %d booked", s, r.ledger.Used())
				}
			},
		})
		r.Close()
	})
}

type model struct {
	files int
	limit int64
	order []int // most recent first
	sizes map[int]int
}

// cost is the length of an entry's file.
func (m *model) cost(i int) int64 {
	note := "note of " + key(i).Text
	h := head{key: key(i), note: note}
	return int64(len(h.encode()) + m.sizes[i] + sumBytes + tailFixed)
}

func (m *model) bytes() (n int64) {
	for _, i := range m.order {
		n += m.cost(i)
	}
	return n
}

func (m *model) touch(i int) {
	if at := slices.Index(m.order, i); at >= 0 {
		m.order = slices.Insert(slices.Delete(m.order, at, at+1), 0, i)
	}
}

func (m *model) put(i, size int) {
	m.sizes[i] = size
	if m.cost(i) > m.limit {
		delete(m.sizes, i)
		return
	}
	m.order = slices.Insert(m.order, 0, i)
	for len(m.order) > m.files || m.bytes() > m.limit {
		last := len(m.order) - 1
		delete(m.sizes, m.order[last])
		m.order = m.order[:last]
	}
}

func (m *model) purge(object string) {
	m.order = slices.DeleteFunc(m.order, func(i int) bool { return key(i).Object == object })
	for i := range m.sizes {
		if key(i).Object == object {
			delete(m.sizes, i)
		}
	}
}

// wantAnswer reads the answer. One that only the memory tier has is of a
// size that the model has forgotten, and must be right for its size.
func (m *model) wantAnswer(rt *rapid.T, rd *Reader, i, size int, outcome Outcome) {
	defer rd.Close()
	b, err := io.ReadAll(rd)
	if err != nil {
		rt.Fatal(err)
	}
	if _, known := m.sizes[i]; !known && outcome != Filled {
		size = len(b)
	}
	if !bytes.Equal(b, answer(key(i), size)) {
		rt.Fatalf("%d bytes, want the answer of %d", len(b), size)
	}
}
