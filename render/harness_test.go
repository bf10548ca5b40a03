package render_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/option"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// pictures is a source of images whose names are their sizes, "4096x4096".
type pictures struct{}

func (pictures) Stat(_ context.Context, id string) (source.Info, error) {
	var w, h int
	if n, err := fmt.Sscanf(id, "%dx%d", &w, &h); n != 2 || err != nil {
		return source.Info{}, source.ErrNotFound
	}
	return source.Info{Name: id, Size: 1000, Version: "1", Key: id, Page: -1}, nil
}

func (p pictures) Open(ctx context.Context, id string) (source.Object, error) {
	info, err := p.Stat(ctx, id)
	return picture{info: info}, err
}

type picture struct {
	*strings.Reader
	info source.Info
}

func (p picture) Info() source.Info { return p.info }
func (picture) Path() string        { return "" }
func (picture) Verify() error       { return nil }
func (picture) Close() error        { return nil }

// decoder writes a picture's canonical request instead of pixels, and keeps a
// list of what it was asked for.
type decoder struct {
	mu   sync.Mutex
	made []string
	// views are the sizes as which pictures were shown.
	views []iiif.Dimensions
	// gate, where set, holds up every Render until it is closed.
	gate chan struct{}
}

func (d *decoder) Shape(_ context.Context, obj source.Object) (plan.Shape, error) {
	s := plan.Shape{Loader: plan.LoaderTIFF, FileSize: 1000, Orientation: 1, Bands: 3, BitsPerSample: 8, Sample: plan.SampleUint, Colour: plan.ColourRGB, Compression: "jpeg", Pages: 1}
	if _, err := fmt.Sscanf(obj.Info().Name, "%dx%d", &s.Width, &s.Height); err != nil {
		return s, err
	}
	level := plan.Level{Width: s.Width, Height: s.Height, TileWidth: 256, TileHeight: 256, Tiled: true, SubIFD: -1}
	for s.Levels = append(s.Levels, level); level.Width > 256; s.Levels = append(s.Levels, level) {
		level.Width, level.Height = (level.Width+1)/2, (level.Height+1)/2
		level.Page++
	}
	return s, nil
}

func (d *decoder) Render(ctx context.Context, _ source.Object, p plan.Plan, w io.Writer) error {
	d.mu.Lock()
	d.made = append(d.made, p.Transform.Canonical())
	d.views = append(d.views, p.Options.View)
	gate := d.gate
	d.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	_, err := io.WriteString(w, p.Transform.Canonical())
	return err
}

func (d *decoder) Mark(context.Context, string) (plan.Mark, error) {
	return plan.Mark{Version: "1", Width: 1, Height: 1}, nil
}

func (d *decoder) Formats() []iiif.Format    { return []iiif.Format{iiif.FormatJPG, iiif.FormatPNG} }
func (d *decoder) Version() string           { return "fake" }
func (d *decoder) PlanOptions() plan.Options { return plan.Options{VipsVersion: 81401} }

// take returns what was made since the last call.
func (d *decoder) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	made := d.made
	d.made = nil
	return made
}

// rig is a renderer over a decoder without pixels, a cache in memory and an
// admission controller that nothing but the test moves.
type rig struct {
	*render.Renderer
	decoder   *decoder
	admission *admission.Controller
	registry  *prometheus.Registry
	resident  int64
	// rebuild makes the renderer anew, with other parts.
	rebuild func(change func(*render.Deps))
	t       *testing.T
}

const envelope = 1 << 30

func newRig(t *testing.T, set map[string]string) *rig {
	t.Helper()
	r := &rig{decoder: &decoder{}, registry: prometheus.NewRegistry(), t: t}
	var rcfg render.Config
	var acfg admission.Config
	var ccfg cache.Config
	options := option.NewSet()
	rcfg.Options(options)
	acfg.Options(options)
	ccfg.Options(options)
	values := option.Values{"nthreads": "4", "cache-dir": cache.Off, "prefetch": "on"}
	maps.Copy(values, set)
	if err := options.LoadFlags(values); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	var err error
	r.admission, err = admission.New(acfg, admission.Facts{
		CPUs: 4, Memory: &admission.Memory{HostTotal: envelope, HostAvailable: envelope}, Manual: true,
		RSS: func() (int64, bool) { return r.resident, r.resident > 0 },
	}, log, r.registry)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cache.New(ccfg, free{}, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	answers.SetMemoryBytes(64 << 20)
	t.Cleanup(func() {
		if err := answers.Close(); err != nil {
			t.Error(err)
		}
		if s := r.admission.Snapshot(); s.Threads.InUse != 0 || s.Budget.InUseBytes != 0 || s.Budget.TileInUseBytes != 0 || s.Queue.Bytes != 0 {
			t.Errorf("not idle: %+v %+v %+v", s.Threads, s.Budget, s.Queue)
		}
	})
	deps := render.Deps{Decoder: r.decoder, Cache: answers, Admission: r.admission, Threshold: acfg.Threshold}
	r.rebuild = func(change func(*render.Deps)) {
		change(&deps)
		if r.Renderer, err = render.New(rcfg, deps, 4); err != nil {
			t.Fatal(err)
		}
	}
	r.rebuild(func(*render.Deps) {})
	return r
}

// free is a ledger without a bound.
type free struct{}

func (free) Reserve(int64) bool { return true }
func (free) Release(int64)      {}

// job prepares a request such as "4096x4096/0,0,256,256/256,256/0/default.jpg".
func (r *rig) job(request string) *render.Job {
	r.t.Helper()
	id, rest, _ := strings.Cut(request, "/")
	params, err := iiif.ParseParams(rest, iiif.V3)
	if err != nil {
		r.t.Fatal(err)
	}
	job, err := r.Prepare(r.t.Context(), render.Request{Subject: subject(id), Params: params, Key: "k_viewer"})
	if err != nil {
		r.t.Fatal(err)
	}
	return job
}

func subject(id string) render.Subject {
	return render.Subject{Source: pictures{}, Identifier: id}
}

// hold takes n tile leases until the test gives them back.
func (r *rig) hold(n int) (release func()) {
	r.t.Helper()
	var leases []*admission.Lease
	for range n {
		l, err := r.admission.Acquire(r.t.Context(), admission.Ask{URL: admission.LaneTile, Peak: 1 << 20})
		if err != nil {
			r.t.Fatal(err)
		}
		leases = append(leases, l)
	}
	return func() {
		for _, l := range leases {
			l.Release()
		}
	}
}

// press sets the memory pressure.
func (r *rig) press(share float64) {
	r.resident = int64(share * envelope)
	for range 3 {
		r.admission.Tick()
	}
}

// counted returns the counter of fan-out work.
func (r *rig) counted(kind, result string) float64 {
	r.t.Helper()
	families, err := r.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "iiifd_admission_fanout_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == kind && m.GetLabel()[1].GetValue() == result {
				return m.GetCounter().GetValue()
			}
		}
	}
	r.t.Fatalf("no counter of %s, %s", kind, result)
	return 0
}
