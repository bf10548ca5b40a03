package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
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
	base, err := readResidence()
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
	end, statusErr := readResidence()
	if err := errors.Join(err, statusErr); err != nil {
		return 0, err
	}
	return max(end.highest-base.now, anonymous-base.anonymous, 0), nil
}

// WatchMemory begins to sample this process' private memory, after what C code
// has freed was given back. The function it returns ends that and returns by
// how many bytes the memory rose at its highest; 0 where it cannot be read.
// What the Go heap holds free and uses again is not seen.
func WatchMemory() (stop func() int64) {
	ReturnFree()
	base, err := readResidence()
	if err != nil || base.anonymous == 0 {
		return func() int64 { return 0 }
	}
	most := watchAnonymous()
	return func() int64 { return max(most()-base.anonymous, 0) }
}

// residence is this process' resident memory in bytes: the most since the
// mark was reset, now, and the part of now that belongs to no file.
type residence struct{ highest, now, anonymous int64 }

func readResidence() (residence, error) {
	text, err := os.ReadFile(statusFile)
	if err != nil {
		return residence{}, fmt.Errorf("decode: %w", err)
	}
	return residence{
		highest:   statusFigure(text, []byte("\nVmHWM:")),
		now:       statusFigure(text, []byte("\nVmRSS:")),
		anonymous: statusFigure(text, []byte("\nRssAnon:")),
	}, nil
}

const statusFile = "/proc/self/status"

// statusFigure returns the bytes in a line of text that begins with label,
// which begins with the end of the line before; 0 where there is none.
func statusFigure(text, label []byte) int64 {
	_, rest, _ := bytes.Cut(text, label)
	kb := int64(0)
	for _, c := range bytes.TrimLeft(rest, " \t") {
		if c < '0' || c > '9' {
			break
		}
		kb = 10*kb + int64(c-'0')
	}
	return kb << 10
}

// watchAnonymous samples anonymous memory until the function it returns is
// called, which returns the most it has seen. VmHWM also counts pages of
// files that were read; both are looked at, as either may miss a part. A
// sample allocates nothing: the Go heap would grow by 4 MiB of garbage before
// it is first collected.
func watchAnonymous() func() int64 {
	done := make(chan struct{})
	var most int64
	var wait sync.WaitGroup
	file, err := os.Open(statusFile)
	if err != nil {
		return func() int64 { return 0 }
	}
	text, label := make([]byte, 4096), []byte("\nRssAnon:")
	wait.Go(func() {
		defer file.Close()
		tick := time.NewTicker(3 * time.Millisecond)
		defer tick.Stop()
		for {
			if n, err := file.ReadAt(text, 0); n > 0 && (err == nil || errors.Is(err, io.EOF)) {
				most = max(most, statusFigure(text[:n], label))
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
