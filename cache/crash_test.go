package cache

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
)

const stormDir = "IIIFD_TEST_STORM_DIR"

// stormSize is the length of the answers that the storm writes.
func stormSize(i int) int {
	if i%15 == 7 {
		return AnswerBytes + blockBytes
	}
	return []int{500, 20_000, 3 * blockBytes}[i%3]
}

// TestMain is the child of TestKilledWhileWriting where the variable is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv(stormDir); dir != "" {
		if err := storm(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// storm fills, evicts and purges until it is killed, with a line on standard
// output for each answer.
func storm(dir string) error {
	c, err := New(Config{Dir: dir, Bytes: 16 << 20, Files: 40}, NewLedger(64<<20), slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	for worker := range 4 {
		go func() {
			for {
				i := rand.IntN(60)
				k := key(i)
				rd, _, err := c.Do(context.Background(), k, Options{}, writes(k, stormSize(i)))
				if err != nil {
					panic(err)
				}
				e := &expect{want: answer(k, stormSize(i))}
				if _, err := io.Copy(e, rd); err != nil {
					panic(err)
				}
				rd.Close()
				if worker == 0 && i%10 == 0 {
					c.Purge(context.Background(), Selector{Object: k.Object})
				}
				os.Stdout.WriteString("answer\n")
			}
		}()
	}
	select {}
}

// TestKilledWhileWriting kills a writing process two hundred times. After
// each, every file is a whole answer, and a right one.
func TestKilledWhileWriting(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 10
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for n := range kills {
		killOne(t, self, dir, 1+rand.IntN(40))
		temp, err := os.ReadDir(dir + "/" + layoutDir + "/" + tempDir)
		if err != nil {
			t.Fatal(err)
		}
		left += len(temp)
		offline, err := OpenDir(Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		v, err := offline.Verify(context.Background(), false)
		if err != nil || v.Damaged+v.Unreadable > 0 || v.Files > 40 || v.Bytes > 16<<20 {
			t.Fatalf("after %d kills: %+v, %v", n+1, v, err)
		}
	}
	if left == 0 {
		t.Error("no kill met an entry being written: the test proves nothing")
	}
	r := open(t, Config{Dir: dir})
	r.settle(t)
	if list, err := os.ReadDir(r.disk.temp()); err != nil || len(list) > 0 {
		t.Errorf("temporary files of the dead are left: %v, %v", list, err)
	}
	hits := 0
	for i := range 60 {
		if rd, ok := r.Get(key(i)); ok {
			hits++
			wantAnswer(t, rd, key(i), stormSize(i))
		}
	}
	if s := r.Stat(); hits != s.Files || hits == 0 {
		t.Errorf("%d hits, %+v", hits, s)
	}
	t.Logf("%d entries lived, %d were being written", hits, left)
}

// killOne starts a storm and kills it after so many answers.
func killOne(t *testing.T, self, dir string, after int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), stormDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range after {
		if !lines.Scan() {
			t.Error("the storm ended by itself")
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	cmd.Wait() // killed
}
