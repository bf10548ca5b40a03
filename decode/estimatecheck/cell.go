package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"

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
	// Work is what was carried out at once.
	Work order
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
	e, err := startEngine()
	if err != nil {
		return result{}, err
	}
	defer e.Close()
	for _, w := range o {
		if _, err := render(e, w.Tiny, warmUp(w.Params)); err != nil {
			return result{}, fmt.Errorf("warm-up: %w", err)
		}
	}
	var plans []*plan.Plan
	before := cpuTime()
	real, err := decode.PeakOf(func() (err error) {
		plans, err = renderAll(e, o)
		return err
	})
	if err != nil {
		return result{}, err
	}
	r := result{Real: max(real, 1), CPU: cpuTime() - before}
	for _, p := range plans {
		r.charge(p)
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
	p, err := newPlan(e, obj, params)
	if err != nil {
		return nil, err
	}
	return &p, e.Render(context.Background(), obj, p, io.Discard)
}

// newPlan plans a request on obj as the server does.
func newPlan(e *decode.Engine, obj *file, params string) (plan.Plan, error) {
	s, err := header.Read(obj, obj.info.Size, -1)
	if errors.Is(err, header.ErrUnknown) {
		s, err = e.Shape(context.Background(), obj)
	}
	if err != nil {
		return plan.Plan{}, err
	}
	asked, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.New(s, asked, e.PlanOptions())
}

// startEngine starts decode as it is set up by default.
func startEngine() (*decode.Engine, error) {
	var c decode.Config
	c.Options(option.NewSet())
	return decode.Start(c, slog.New(slog.DiscardHandler), nil)
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

func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
