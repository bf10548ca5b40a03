package main

/*
#cgo pkg-config: jemalloc
#include <jemalloc/jemalloc.h>

// 4096 stands for all arenas (MALLCTL_ARENAS_ALL).
static int purge(void) { return mallctl("arena.4096.purge", 0, 0, 0, 0); }
*/
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

	"golang.org/x/sync/errgroup"

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

// order is what such a process is told on standard input: the requests that
// it carries out at once.
type order []work

// work is one request on one file. Tiny is a small file of the same kind.
type work struct{ Path, Tiny, Params string }

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
		if f, ok := errors.AsType[*plan.Failure](err); ok {
			r.Refused += ": " + f.Detail()
		}
	}
	if err := json.NewEncoder(out).Encode(r); err != nil {
		return 2
	}
	return 0
}

// measureCell warms up with the tiny files, then measures the requests on the
// others, all at once.
func measureCell(o order) (result, error) {
	var c decode.Config
	c.Options(option.NewSet())
	e, err := decode.Start(c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return result{}, err
	}
	defer e.Close()
	for _, w := range o {
		if _, err := render(e, w.Tiny, warmUp(w.Params)); err != nil {
			return result{}, fmt.Errorf("warm-up: %w", err)
		}
	}
	debug.FreeOSMemory()
	if C.purge() != 0 {
		return result{}, errors.New("the allocator cannot be emptied")
	}
	base, err := memory()
	if err != nil {
		return result{}, err
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return result{}, err
	}
	stop := watchAnonymous()
	before := cpuTime()
	plans, err := renderAll(e, o)
	used := cpuTime() - before
	anonymous := stop()
	if err != nil {
		return result{}, err
	}
	end, err := memory()
	if err != nil {
		return result{}, err
	}
	r := result{Real: max(end["VmHWM"]-base["VmRSS"], anonymous-base["RssAnon"], 1), CPU: used}
	for _, p := range plans {
		r.Estimate += p.Peak()
		r.Seconds += p.Seconds()
		r.Parts = append(r.Parts, p.Parts()...)
	}
	return r, nil
}

func renderAll(e *decode.Engine, o order) ([]*plan.Plan, error) {
	plans := make([]*plan.Plan, len(o))
	var g errgroup.Group
	for i, w := range o {
		g.Go(func() (err error) {
			plans[i], err = render(e, w.Path, w.Params)
			return err
		})
	}
	return plans, g.Wait()
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
