package main

// #include <malloc.h>
import "C"

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/iiifd/decode"
	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/option"
	"example.com/iiifd/source"
)

// cellVariable marks a process that measures one request.
const cellVariable = "IIIFD_ESTIMATE_CELL"

func isCell() bool { return os.Getenv(cellVariable) != "" }

// order is what such a process is told on standard input.
type order struct{ Path, Tiny, Params string }

// result is what it answers.
type result struct {
	Kind, File, Params string
	// Real is the growth of resident memory in bytes, Estimate what the plan
	// said.
	Real, Estimate int64
	// CPU is the time used, Seconds what the plan said.
	CPU, Seconds float64
	Parts        []plan.Part
	// Refused tells why there is no measurement.
	Refused string
}

func runCell(in io.Reader, out io.Writer) int {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r, err := measureCell(o)
	if err != nil {
		r.Refused = err.Error()
	}
	if err := json.NewEncoder(out).Encode(r); err != nil {
		return 2
	}
	return 0
}

// measureCell warms up with the tiny file, then measures the request on the
// other one.
func measureCell(o order) (result, error) {
	var c decode.Config
	c.Options(option.NewSet())
	e, err := decode.Start(c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return result{}, err
	}
	defer e.Close()
	if _, err := render(e, o.Tiny, warmUp(o.Params)); err != nil {
		return result{}, fmt.Errorf("warm-up: %w", err)
	}
	debug.FreeOSMemory()
	C.malloc_trim(0)
	base, err := memory()
	if err != nil {
		return result{}, err
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return result{}, err
	}
	stop := watchAnonymous()
	before := cpuTime()
	p, err := render(e, o.Path, o.Params)
	used := cpuTime() - before
	anonymous := stop()
	if err != nil {
		return result{}, err
	}
	end, err := memory()
	if err != nil {
		return result{}, err
	}
	return result{
		Real: max(end["VmHWM"]-base["VmRSS"], anonymous-base["RssAnon"], 1), Estimate: p.Peak(),
		CPU: used, Seconds: p.Seconds(), Parts: p.Parts(),
	}, nil
}

// warmUp is a small request with the rotation, quality and format of params.
func warmUp(params string) string {
	part := strings.Split(params, "/")
	return "full/!48,48/" + part[2] + "/" + part[3]
}

// render plans and carries out one request.
func render(e *decode.Engine, path, params string) (*plan.Plan, error) {
	obj, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer obj.Close()
	s, err := header.Read(obj, obj.info.Size, -1)
	if errors.Is(err, header.ErrUnknown) {
		s, err = e.Shape(context.Background(), obj)
	}
	if err != nil {
		return nil, err
	}
	asked, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		return nil, err
	}
	p, err := plan.New(s, asked, e.PlanOptions())
	if err != nil {
		return nil, err
	}
	return &p, e.Render(context.Background(), obj, p, io.Discard)
}

// file is a local file as a source.Object.
type file struct {
	*os.File
	info source.Info
}

func openFile(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &file{f, source.Info{Name: st.Name(), Size: st.Size(), Page: -1, Key: path}}, nil
}

func (f *file) Info() source.Info { return f.info }
func (f *file) Path() string      { return f.Name() }

// Verify trusts that nobody changes the corpus.
func (f *file) Verify() error { return nil }

// memory reads the figures of /proc/self/status that are in kB, in bytes.
func memory() (map[string]int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, err
	}
	figures := make(map[string]int64)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if kb, ok := strings.CutSuffix(strings.TrimSpace(value), " kB"); ok {
			if n, err := strconv.ParseInt(kb, 10, 64); err == nil {
				figures[name] = n * 1024
			}
		}
	}
	return figures, nil
}

// watchAnonymous samples RssAnon until the function it returns is called,
// which returns the most it has seen.
func watchAnonymous() func() int64 {
	done := make(chan struct{})
	var most int64
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(3 * time.Millisecond)
		defer tick.Stop()
		for {
			if m, err := memory(); err == nil {
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

func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
