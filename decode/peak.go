package decode

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// PeakOf runs work and returns by how many bytes it raised this process'
// resident memory at its highest. It is right only in a process that does
// nothing else meanwhile and has done the like before, on something small:
// modules and code pages would count otherwise.
func PeakOf(work func() error) (int64, error) {
	debug.FreeOSMemory()
	ReturnFree()
	base, err := statusBytes()
	if err != nil {
		return 0, err
	}
	// 5 resets VmHWM (proc(5), /proc/pid/clear_refs).
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, fmt.Errorf("decode: resetting the peak: %w", err)
	}
	stop := watchAnonymous()
	err = work()
	anonymous := stop()
	end, statusErr := statusBytes()
	if err := errors.Join(err, statusErr); err != nil {
		return 0, err
	}
	return max(end["VmHWM"]-base["VmRSS"], anonymous-base["RssAnon"], 0), nil
}

// statusBytes reads the figures of /proc/self/status that are in kB.
func statusBytes() (map[string]int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	figures := make(map[string]int64)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if kb, ok := strings.CutSuffix(strings.TrimSpace(value), " kB"); ok {
			if n, err := strconv.ParseInt(kb, 10, 64); err == nil {
				figures[name] = n << 10
			}
		}
	}
	return figures, nil
}

// watchAnonymous samples anonymous memory until the function it returns is
// called, which returns the most it has seen. VmHWM also counts pages of
// files that were read; both are looked at, as either may miss a part.
func watchAnonymous() func() int64 {
	done := make(chan struct{})
	var most int64
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(3 * time.Millisecond)
		defer tick.Stop()
		for {
			if m, err := statusBytes(); err == nil {
				most = max(most, m["RssAnon"])
			}
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() int64 {
		close(done)
		wait.Wait()
		return most
	}
}
