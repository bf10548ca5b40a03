package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// wantLogged wants that many lines with the words.
func (r *rig) wantLogged(tb testing.TB, words string, n int) {
	tb.Helper()
	if got := strings.Count(r.logged.String(), words); got != n {
		tb.Errorf("%q logged %d times, want %d:\n%s", words, got, n, r.logged.String())
	}
}

// TestFullVolumeByDevice writes to /dev/full, as any user can.
func TestFullVolumeByDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		for i := range 32 {
			r.fill(t, key(i), 1000)
		}
		real := r.disk.openTemp
		r.disk.openTemp = func(string) (*os.File, error) { return os.OpenFile("/dev/full", os.O_RDWR, 0) }
		for i := 100; i < 110; i++ {
			rd, _ := r.must(t, key(i), writes(key(i), []int{1000, 2 * AnswerBytes}[i%2]))
			wantAnswer(t, rd, key(i), []int{1000, 2 * AnswerBytes}[i%2])
			r.fills.Wait()
			synctest.Wait()
		}
		if s := r.Stat(); s.Files < 28 || s.Files > 30 || value(t, r.m.disabled) != 1 {
			t.Errorf("the cache did not give room back: %+v", s)
		}
		r.wantErrors(t, "no_space", 1) // then it paused
		r.wantLogged(t, "cannot store", 1)
		before := r.Stat().Files
		r.disk.openTemp = real
		time.Sleep(pauseFor)
		r.fill(t, key(200), 1000)
		if s := r.Stat(); s.Files != before+1 || value(t, r.m.disabled) != 0 {
			t.Errorf("%+v", s)
		}
		r.wantLogged(t, "stores again", 1)
		r.Close()
	})
}

// mount mounts a tmpfs, where that is allowed.
func mount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("no mounts here: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullVolume uses a volume smaller than the cache's bound: it fills,
// every answer is right, and the cache lives on in what there is.
func TestFullVolume(t *testing.T) {
	dir := mount(t, "3m")
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: dir})
		if n := r.BookedBytes(); n != 3<<20 {
			t.Errorf("%d bytes booked for a tmpfs", n)
		}
		if s := r.Stat(); !s.InMemory {
			t.Errorf("%+v", s)
		}
		for i := range 100 {
			size := 100_000 + i
			if i == 50 {
				size = 5 << 20
			}
			rd, _ := r.must(t, key(i), writes(key(i), size))
			wantAnswer(t, rd, key(i), size)
			r.fills.Wait()
			synctest.Wait()
			time.Sleep(time.Second)
		}
		r.Close()
	})
	r := open(t, Config{Dir: dir})
	r.settle(t)
	if s := r.Stat(); s.Files < 10 || s.Bytes != onDisk(t, dir) {
		t.Errorf("%+v, %d on disk", s, onDisk(t, dir))
	}
	hits := 0
	for i := range 100 {
		if rd, ok := r.Get(key(i)); ok {
			hits++
			wantAnswer(t, rd, key(i), 100_000+i)
		}
	}
	if hits != r.Stat().Files {
		t.Errorf("%d hits, %d files", hits, r.Stat().Files)
	}
}

func TestReadOnlyVolume(t *testing.T) {
	dir := mount(t, "8m")
	r := open(t, Config{Dir: dir})
	r.fill(t, key(1), 1000)
	// While it runs: what is there is served, nothing is stored, and it
	// recovers.
	remount := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	remount(unix.MS_RDONLY)
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{Dir: dir})
		synctest.Wait()
		rd, outcome := r.must(t, key(1), never(t))
		if outcome != Disk {
			t.Errorf("%v from a read-only cache", outcome)
		}
		wantAnswer(t, rd, key(1), 1000)
		for i := 2; i < 9; i++ {
			rd, _ := r.must(t, key(i), writes(key(i), 1000))
			wantAnswer(t, rd, key(i), 1000)
			time.Sleep(tendEvery)
		}
		if s := r.Stat(); s.State != "read-only" || s.Files != 1 || value(t, r.m.disabled) != 1 {
			t.Errorf("%+v", s)
		}
		r.wantLogged(t, "cannot be written", 1)
		remount(0)
		time.Sleep(tendEvery)
		synctest.Wait()
		r.fill(t, key(2), 1000)
		if s := r.Stat(); s.State != "on" || s.Files != 2 || value(t, r.m.disabled) != 0 {
			t.Errorf("%+v", s)
		}
		r.Close()
	})
}

func TestDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, Config{Dir: filepath.Join(file, "cache")})
	for range 2 {
		rd, outcome := r.must(t, key(1), writes(key(1), 10))
		if outcome != Filled {
			t.Errorf("%v", outcome)
		}
		wantAnswer(t, rd, key(1), 10)
		r.fills.Wait()
	}
	if s := r.Stat(); s.State != "off" || s.Reason == "" || value(t, r.m.disabled) != 1 {
		t.Errorf("%+v", s)
	}
	r.wantLogged(t, "serving uncached", 1)
}

func TestDirectoryRemovedUnderUs(t *testing.T) {
	for _, what := range []string{".", layoutDir, filepath.Join(layoutDir, tempDir), lockName} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			synctest.Test(t, func(t *testing.T) {
				r := open(t, Config{Dir: dir})
				synctest.Wait()
				r.fill(t, key(1), 1000)
				large, size := key(2), 3*AnswerBytes
				more := make(chan struct{})
				rd, _ := r.must(t, large, func(_ context.Context, w *Writer) error {
					w.SetNote("note of " + large.Text)
					if _, err := w.Write(answer(large, size)[:2*AnswerBytes]); err != nil {
						return err
					}
					<-more
					_, err := w.Write(answer(large, size)[2*AnswerBytes:])
					return err
				})
				synctest.Wait()
				if err := os.RemoveAll(filepath.Join(dir, what)); err != nil {
					t.Fatal(err)
				}
				close(more)
				wantAnswer(t, rd, large, size)
				for i := 3; i < 6; i++ {
					rd, _ = r.must(t, key(i), writes(key(i), 1000))
					wantAnswer(t, rd, key(i), 1000)
					r.fills.Wait()
					time.Sleep(tendEvery + time.Second)
				}
				synctest.Wait()
				r.fill(t, key(6), 1000)
				rd, outcome := r.must(t, key(6), never(t))
				if outcome != Disk {
					t.Errorf("after the removal: %v", outcome)
				}
				wantAnswer(t, rd, key(6), 1000)
				if s := r.Stat(); s.State != "on" || s.Bytes != onDisk(t, dir) {
					t.Errorf("%+v, %d on disk", s, onDisk(t, dir))
				}
				if _, err := lockFile(filepath.Join(dir, lockName)); !errors.Is(err, ErrInUse) {
					t.Errorf("the directory is not locked: %v", err)
				}
				r.Close()
			})
		})
	}
}

func TestEntriesThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(path string) error
		kind string
	}{
		"removed":   {os.Remove, "vanished"},
		"directory": {func(p string) error { os.Remove(p); return os.Mkdir(p, 0o700) }, kindDamaged},
		"pipe":      {func(p string) error { os.Remove(p); return unix.Mkfifo(p, 0o600) }, kindDamaged},
		"link":      {func(p string) error { os.Remove(p); return os.Symlink("/etc/passwd", p) }, "io"},
		"denied": {func(p string) error {
			if os.Geteuid() == 0 {
				return errors.ErrUnsupported
			}
			return os.Chmod(p, 0)
		}, "permission"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := open(t, Config{Dir: dir})
			r.fill(t, key(1), 1000)
			if err := c.do(files(t, dir)[0]); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("may read everything")
			} else if err != nil {
				t.Fatal(err)
			}
			if _, ok := r.Get(key(1)); ok {
				t.Error("a hit")
			}
			r.wantErrors(t, c.kind, 1)
			r.fill(t, key(1), 1000)
			rd, outcome := r.must(t, key(1), never(t))
			if outcome != Disk {
				t.Errorf("afterwards: %v", outcome)
			}
			wantAnswer(t, rd, key(1), 1000)
		})
	}
}

func TestSecondProcess(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		first, second := open(t, Config{Dir: dir}), open(t, Config{Dir: dir})
		synctest.Wait()
		first.fill(t, key(1), 1000)
		rd, outcome := second.must(t, key(1), writes(key(1), 1000))
		if outcome != Filled {
			t.Errorf("the second cache gave %v", outcome)
		}
		wantAnswer(t, rd, key(1), 1000)
		second.fills.Wait()
		time.Sleep(3 * tendEvery)
		if s := second.Stat(); s.State != "off" || value(t, second.m.disabled) != 1 || first.Stat().Files != 1 {
			t.Errorf("%+v", s)
		}
		second.wantLogged(t, "in use by another process", 1)
		// The first one ends, as in a rolling restart: the second takes over.
		first.Close()
		time.Sleep(tendEvery)
		synctest.Wait()
		rd, outcome = second.must(t, key(1), never(t))
		if outcome != Disk || value(t, second.m.disabled) != 0 {
			t.Errorf("taken over: %v, %+v", outcome, second.Stat())
		}
		wantAnswer(t, rd, key(1), 1000)
		second.Close()
	})
}

func TestKindsOfErrors(t *testing.T) {
	for kind, err := range map[string]error{
		"no_space": syscall.ENOSPC, "read_only": syscall.EROFS, "permission": syscall.EACCES,
		"vanished": syscall.ENOENT, "descriptors": syscall.EMFILE, "io": syscall.EIO, "in_use": ErrInUse,
		kindDamaged: errDamaged,
	} {
		if got := errorKind(fmt.Errorf("x: %w", &os.PathError{Err: err})); got != kind {
			t.Errorf("%v is %q, want %q", err, got, kind)
		}
	}
}

// TestNoDescriptors: an entry that cannot be opened for now is made anew for
// who asks, once, and is there when it can be opened again.
func TestNoDescriptors(t *testing.T) {
	r := open(t, Config{})
	r.fill(t, key(1), 1000)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	none := old
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Skip(err)
	}
	rd, outcome, err := r.Do(context.Background(), key(1), Options{}, writes(key(1), 1000))
	r.fills.Wait()
	if restored := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); restored != nil {
		t.Fatal(restored)
	}
	if err != nil || outcome != Filled {
		t.Fatal(outcome, err)
	}
	wantAnswer(t, rd, key(1), 1000)
	rd, outcome = r.must(t, key(1), never(t))
	if outcome != Disk {
		t.Error(outcome)
	}
	wantAnswer(t, rd, key(1), 1000)
}
