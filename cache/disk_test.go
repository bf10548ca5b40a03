package cache

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/option"
)

// TestOrderOfUseSurvivesARestart: what was read from disk last is evicted
// last, also by the next process.
func TestOrderOfUseSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	r := open(t, Config{Dir: dir})
	for i := range 10 {
		r.fill(t, key(i), 1000)
		old := time.Now().Add(-time.Duration(30-i) * time.Hour)
		if err := os.Chtimes(r.disk.path(key(i).id()), old, old); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	r = open(t, Config{Dir: dir})
	r.settle(t)
	for _, i := range []int{0, 3} {
		rd, ok := r.Get(key(i))
		if !ok {
			t.Fatal("miss")
		}
		rd.Close()
	}
	r.Close()
	r = open(t, Config{Dir: dir, Files: 4})
	r.settle(t)
	var left []int
	for i := range 10 {
		if _, ok := r.Has(key(i)); ok {
			left = append(left, i)
		}
	}
	if len(left) != 4 || left[0] != 0 || left[1] != 3 || left[2] != 8 || left[3] != 9 {
		t.Errorf("%v are left", left)
	}
	if n := len(files(t, dir)); n != 4 {
		t.Errorf("%d files", n)
	}
}

// TestServesWhileItReadsTheDirectory: an entry is found before the walk has
// come to it, and the walk does not count it twice.
func TestServesWhileItReadsTheDirectory(t *testing.T) {
	r := open(t, Config{})
	for i := range 20 {
		r.fill(t, key(i), 1000)
	}
	before := r.Stat()
	r.disk.mu.Lock()
	r.disk.ix.reset()
	r.disk.walking, r.disk.indexed = true, make(chan struct{})
	r.disk.mu.Unlock()
	rd, outcome := r.must(t, key(3), never(t))
	if outcome != Disk {
		t.Error(outcome)
	}
	wantAnswer(t, rd, key(3), 1000)
	rd, _ = r.must(t, key(100), writes(key(100), 1000))
	wantAnswer(t, rd, key(100), 1000)
	// It is served, and joined, while it waits to be an entry.
	rd, outcome = r.must(t, key(100), never(t))
	if outcome != Joined || len(files(t, r.disk.dir)) != 20 {
		t.Errorf("%v, %d files", outcome, len(files(t, r.disk.dir)))
	}
	wantAnswer(t, rd, key(100), 1000)
	r.disk.walk(context.Background())
	r.fills.Wait()
	if s := r.Stat(); s.Files != before.Files+1 || s.Bytes != onDisk(t, s.Dir) || s.Indexing {
		t.Errorf("%+v, before %+v", s, before)
	}
}

// TestFarMoreFilesThanAllowed: the walk itself sheds the oldest.
func TestFarMoreFilesThanAllowed(t *testing.T) {
	dir := t.TempDir()
	r := open(t, Config{Dir: dir})
	r.fill(t, key(0), 10)
	path := r.disk.path(key(0).id())
	r.Close()
	for i := 1; i < 2*walkBatch; i++ {
		fan := filepath.Join(dir, layoutDir, key(i).id().fan())
		os.Mkdir(fan, 0o700)
		if err := os.Link(path, filepath.Join(fan, key(i).id().name())); err != nil {
			t.Fatal(err)
		}
	}
	r = open(t, Config{Dir: dir, Files: 5})
	r.settle(t)
	if s := r.Stat(); s.Files != 5 || len(files(t, dir)) != 5 {
		t.Errorf("%+v, %d on disk", s, len(files(t, dir)))
	}
	// A file under another key's name is nobody's answer.
	for i := range 2 * walkBatch {
		if _, ok := r.Has(key(i)); ok && i > 0 {
			if _, ok := r.Get(key(i)); ok {
				t.Errorf("key %d got the answer of key 0", i)
			}
		}
	}
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	foreign := []string{"README", layoutDir + "/ab/notes.txt", layoutDir + "/tmp/keep", layoutDir + "/zz/x"}
	for _, f := range foreign {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, layoutDir, tempDir, "dead"+tempSuffix), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, Config{Dir: dir})
	r.settle(t)
	if s := r.Stat(); s.Files != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := r.Purge(context.Background(), Selector{All: true}); err != nil {
		t.Error(err)
	}
	for _, f := range foreign {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.disk.temp(), "dead"+tempSuffix)); err == nil {
		t.Error("a dead process's file is left")
	}
}

func TestKeysThatDoNotFitTheHeader(t *testing.T) {
	r := open(t, Config{MemoryBytes: 1 << 20})
	for _, k := range []Key{{Object: strings.Repeat("x", headMost), Text: "y"}, {Object: strings.Repeat("x", 20_000)}} {
		rd, _ := r.must(t, k, writes(k, 100))
		wantAnswer(t, rd, k, 100)
		r.fills.Wait()
		rd, outcome := r.must(t, k, never(t))
		if outcome != Memory {
			t.Error(outcome)
		}
		wantAnswer(t, rd, k, 100)
	}
	if s := r.Stat(); s.Files != 1 {
		t.Errorf("%+v", s)
	}
}

// TestKeysDiffer: no two ways to cut a text into object and rest are one key.
func TestKeysDiffer(t *testing.T) {
	seen := make(map[id]Key)
	for cut := range 6 {
		k := Key{Object: "abcde"[:cut], Text: "abcde"[cut:]}
		if old, ok := seen[k.id()]; ok {
			t.Errorf("%+v and %+v", k, old)
		}
		seen[k.id()] = k
		if back, err := parseName(k.id().name()); err != nil || back != k.id() {
			t.Errorf("%v, %v", back, err)
		}
	}
	for _, name := range []string{"", "x", strings.Repeat("0", 49), strings.Repeat("g", 16) + "-" + strings.Repeat("0", 32), strings.Repeat("0", 16) + "-" + strings.Repeat("z", 32)} {
		if _, err := parseName(name); err == nil {
			t.Errorf("%q is an entry's name", name)
		}
	}
}

func TestConfig(t *testing.T) {
	var c Config
	s := option.NewSet()
	c.Options(s)
	for name, want := range map[string]string{
		"cache-dir": "", "cache-bytes": "0", "cache-files": "0", "spool-bytes": "2GiB", "cache-sync": "false",
	} {
		if o := s.Lookup(name); o == nil || o.Default != want {
			t.Errorf("%s: %+v", name, o)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "/somewhere")
	for dir, want := range map[string]string{"": "/somewhere/iiifd", Off: "", "/x": "/x"} {
		if got, err := (&Config{Dir: dir}).Directory(); err != nil || got != want {
			t.Errorf("%q means %q, %v", dir, got, err)
		}
	}
	for _, b := range []struct {
		c     Config
		v     filesystem
		bytes int64
		files int
	}{
		{Config{}, filesystem{}, 10 << 30, 250_000},
		{Config{}, filesystem{bytes: 1 << 40, files: 1 << 30}, 10 << 30, 250_000},
		{Config{}, filesystem{bytes: 20 << 30, files: 1000}, 2 << 30, 100},
		{Config{Bytes: 7, Files: 8}, filesystem{bytes: 20 << 30, files: 1000}, 7, 8},
	} {
		if bytes, files := b.c.effective(b.v); bytes != b.bytes || files != b.files {
			t.Errorf("%+v on %+v: %d, %d", b.c, b.v, bytes, files)
		}
	}
}

func TestSynced(t *testing.T) {
	dir := t.TempDir()
	r := open(t, Config{Dir: dir, Sync: true})
	r.fill(t, key(1), 2*AnswerBytes)
	rd, outcome := r.must(t, key(1), never(t))
	if outcome != Disk {
		t.Error(outcome)
	}
	wantAnswer(t, rd, key(1), 2*AnswerBytes)
}
