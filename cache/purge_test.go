package cache

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPurgeSelects(t *testing.T) {
	now := time.Now()
	objects := map[string]time.Time{"a/1": now.Add(-2 * time.Hour), "a/2": now, "a": now, "b/1": now.Add(-2 * time.Hour)}
	for name, c := range map[string]struct {
		sel  Selector
		gone string
	}{
		"object":            {Selector{Object: "a"}, "a"},
		"prefix":            {Selector{Prefix: "a/"}, "a/1 a/2"},
		"age":               {Selector{Before: now.Add(-time.Hour)}, "a/1 b/1"},
		"prefix and age":    {Selector{Prefix: "a", Before: now.Add(-time.Hour)}, "a/1"},
		"object and prefix": {Selector{Object: "a/1", Prefix: "b"}, ""},
		"nothing such":      {Selector{Object: "c"}, ""},
		"all":               {Selector{All: true}, "a a/1 a/2 b/1"},
		"all and age":       {Selector{All: true, Before: now.Add(-time.Hour)}, "a/1 b/1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, offline := range []bool{false, true} {
				dir := t.TempDir()
				r := open(t, Config{Dir: dir, MemoryBytes: 1 << 20})
				for object, made := range objects {
					k := Key{Object: object, Text: "x"}
					r.fill(t, k, 100)
					if err := os.Chtimes(r.disk.path(k.id()), made, made); err != nil {
						t.Fatal(err)
					}
				}
				r.memory.purge(func(b *blob) bool { return objects[b.key.Object] != now })
				gone := strings.Fields(c.gone)
				p, err := purge(t, r, offline, c.sel)
				if err != nil || p.Files != len(gone) {
					t.Errorf("%+v, %v", p, err)
				}
				if offline {
					r = open(t, Config{Dir: dir})
					r.settle(t)
				}
				if s := r.Stat(); s.Files != len(objects)-len(gone) || s.Bytes != onDisk(t, dir) {
					t.Errorf("%+v", s)
				}
				for object := range objects {
					want := !strings.Contains(" "+c.gone+" ", " "+object+" ")
					rd, ok := r.Get(Key{Object: object, Text: "x"})
					if ok != want {
						t.Errorf("%s: found %v", object, ok)
					}
					if ok {
						rd.Close()
					}
				}
			}
		})
	}
}

func purge(t *testing.T, r *rig, offline bool, sel Selector) (Purged, error) {
	t.Helper()
	if !offline {
		return r.Purge(context.Background(), sel)
	}
	d, err := OpenDir(r.disk.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Purge(context.Background(), sel); !errors.Is(err, ErrInUse) {
		t.Errorf("beside a running cache: %v", err)
	}
	if s, err := d.Stat(context.Background()); err != nil || s.Files != r.Stat().Files || s.Bytes != r.Stat().Bytes {
		t.Errorf("%+v, %v", s, err)
	}
	r.Close()
	return d.Purge(context.Background(), sel)
}

func TestPurgeRefusesTheEmptySelector(t *testing.T) {
	r := open(t, Config{})
	if _, err := r.Purge(context.Background(), Selector{}); err == nil {
		t.Error("an empty selector passed")
	}
	d, err := OpenDir(Config{Dir: filepath.Join(t.TempDir(), "not there")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Purge(context.Background(), Selector{}); err == nil {
		t.Error("an empty selector passed offline")
	}
	if p, err := d.Purge(context.Background(), Selector{All: true}); err != nil || p.Files != 0 {
		t.Errorf("no directory: %+v, %v", p, err)
	}
	if s, err := d.Stat(context.Background()); err != nil || s.Files != 0 {
		t.Errorf("no directory: %+v, %v", s, err)
	}
	if _, err := OpenDir(Config{Dir: Off}); err == nil {
		t.Error("a cache that is off was opened")
	}
}

// TestPurgeDuringAFill: who waits is served, nothing of it is kept, and who
// comes later does not join.
func TestPurgeDuringAFill(t *testing.T) {
	for name, size := range map[string]int{"small": 1000, "large": AnswerBytes + blockBytes} {
		for _, nested := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					r := open(t, Config{Dir: dir, MemoryBytes: 16 << 20})
					synctest.Wait()
					k := key(1)
					other := Key{Object: "another", Text: "x"}
					write := make(chan struct{})
					start := func(k Key) chan *Reader {
						got := make(chan *Reader, 1)
						go func() {
							rd, _, err := r.Do(context.Background(), k, Options{Nested: nested}, func(ctx context.Context, w *Writer) error {
								<-write
								return writes(k, size)(ctx, w)
							})
							if err != nil {
								t.Error(err)
							}
							got <- rd
						}()
						return got
					}
					one, two := start(k), start(other)
					synctest.Wait()
					if _, err := r.Purge(context.Background(), Selector{Object: k.Object}); err != nil {
						t.Fatal(err)
					}
					newer, outcome := r.must(t, k, writes(k, 77))
					if outcome != Filled {
						t.Errorf("joined a purged fill: %v", outcome)
					}
					wantAnswer(t, newer, k, 77)
					synctest.Wait()
					close(write)
					wantAnswer(t, <-one, k, size)
					wantAnswer(t, <-two, other, size)
					r.fills.Wait()
					newer, outcome = r.must(t, k, never(t))
					if outcome != Memory {
						t.Errorf("the newer answer: %v", outcome)
					}
					wantAnswer(t, newer, k, 77)
					if s := r.Stat(); s.Files != 2 {
						t.Errorf("%+v", s)
					}
					r.Close()
				})
				r := open(t, Config{Dir: dir})
				rd, outcome := r.must(t, key(1), never(t))
				if outcome != Disk {
					t.Errorf("the newer answer on disk: %v", outcome)
				}
				wantAnswer(t, rd, key(1), 77)
			})
		}
	}
}

func TestPurgedReaderReadsOn(t *testing.T) {
	r := open(t, Config{MemoryBytes: 16 << 20})
	large, small := key(1), key(2)
	r.fill(t, large, 2*AnswerBytes)
	r.fill(t, small, 1000)
	a, _ := r.Get(large)
	b, _ := r.Get(small)
	if _, err := io.CopyN(io.Discard, b, 0); err != nil {
		t.Fatal(err)
	}
	p, err := r.Purge(context.Background(), Selector{All: true})
	if err != nil || p.Files != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	if s := r.Stat(); s.MemoryBytes == 0 || s.MemoryEntries != 0 {
		t.Errorf("a blob that is read is not booked: %+v", s)
	}
	wantAnswer(t, a, large, 2*AnswerBytes)
	wantAnswer(t, b, small, 1000)
	if s := r.Stat(); s.MemoryBytes != 0 {
		t.Errorf("%+v", s)
	}
}
