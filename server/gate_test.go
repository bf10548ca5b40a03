package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// gate is a decoder that takes "square.png" for a picture of 300 megapixels,
// and "line.png" for one that must be held whole, and whose work waits until the test lets it go on. What it writes is the
// canonical request, size times.
type gate struct {
	render.Decoder

	mu    sync.Mutex
	shut  bool
	size  map[string]int
	jobs  map[string]chan error
	begun chan string
	// fail is called where the work would begin.
	fail func()
}

func newGate() *gate {
	return &gate{size: make(map[string]int), jobs: make(map[string]chan error), begun: make(chan string, 4096)}
}

func (g *gate) around(d render.Decoder) render.Decoder {
	g.Decoder = d
	return g
}

// Shape implements render.Decoder.
func (g *gate) Shape(ctx context.Context, obj source.Object) (plan.Shape, error) {
	s, err := g.Decoder.Shape(ctx, obj)
	name := obj.Info().Name
	if err == nil && (name == "square.png" || name == "line.png") {
		s.Width, s.Height = 20000, 15000
		s.Levels[0].Width, s.Levels[0].Height = s.Width, s.Height
		s.Progressive = name == "line.png" // Must be held whole.
	}
	return s, err
}

// Render implements render.Decoder.
func (g *gate) Render(ctx context.Context, _ source.Object, p plan.Plan, w io.Writer) error {
	name := p.Transform.Canonical()
	if g.fail != nil {
		g.fail()
	}
	g.mu.Lock()
	size := max(g.size[name], len(name))
	var told chan error
	if g.shut {
		told = make(chan error, 1)
		g.jobs[name] = told
	}
	g.mu.Unlock()
	if told != nil {
		g.begun <- name
		select {
		case err := <-told:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return plan.NewFailure(plan.Killed, "", context.Cause(ctx))
		}
	}
	piece := []byte(name)
	if size > len(name) {
		piece = bytes.Repeat(piece, 64<<10/len(name))
	}
	for size > 0 {
		n, err := w.Write(piece[:min(size, len(piece))])
		if err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// close makes work that comes from now on wait.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// open lets everything go on.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
	for name, told := range g.jobs {
		told <- nil
		delete(g.jobs, name)
	}
}

// pass lets the work of that canonical request end, with an error or well.
func (g *gate) pass(name string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if told := g.jobs[name]; told != nil {
		told <- err
		delete(g.jobs, name)
	}
}

// running lists what waits at the gate.
func (g *gate) running() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for name := range g.jobs {
		names = append(names, name)
	}
	return names
}

// threshold parts the gate's work: what is asked of the large picture as a
// whole is a full, everything else a tile.
const threshold = "20Mi"

// drill starts a server of 4 permits, 2 of them only for tiles, behind a
// gate, and its operator listener, whose address it returns.
func drill(t *testing.T, p setup) (*stand, *gate, string) {
	t.Helper()
	g := newGate()
	set := map[string]string{
		"large-decode-threshold-bytes": threshold, "queue-max-bytes": "1Ti", "queue-timeout-tile": "5m", "queue-timeout-full": "5m",
		"request-timeout": "10m", "nthreads": "4",
	}
	maps.Copy(set, p.set)
	p.set, p.unseen = set, true
	if p.dir == "" {
		p.dir = cases(t)
	}
	p.decoder = g.around
	st := open(t, p)
	t.Cleanup(g.open)
	op, err := server.OpenOperator(t.Context(), server.OperatorConfig{Listen: "127.0.0.1:0", TokenFile: save(t, operatorToken)}, server.OperatorDeps{
		Admission: st.admission, Cache: st.answers, Public: st.Server, Log: slog.New(slog.DiscardHandler),
		Metrics: promhttp.HandlerFor(st.metrics, promhttp.HandlerOpts{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = op.Close() })
	return st, g, "http://" + op.Address().String()
}

// whole and part are paths of fulls and tiles that differ by n.
func whole(n int) string {
	return fmt.Sprintf("/iiif/3/square.png/0,0,20000,%d/max/0/default.png", 14999-n)
}

func part(n int) string {
	return fmt.Sprintf("/iiif/3/I/%d,%d,100,100/max/0/default.png", n%800, n/800)
}

// over is a context that has ended.
func over(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// from is a client of its own address, and thus of its own fairness key.
func from(t *testing.T, address string) *http.Client {
	t.Helper()
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c := direct(&http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 4096})
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// idle asserts that every gauge is back to what it is on an idle server.
func (st *stand) idle(t *testing.T) {
	t.Helper()
	await(t, "every gauge to be idle", func() bool { return st.busy() == "" })
	if s := st.admission.Snapshot(); s.Budget.HeadroomInUseBytes != 0 {
		t.Errorf("headroom in use: %d", s.Budget.HeadroomInUseBytes)
	}
}

// busy names what is not idle, empty if all is.
func (st *stand) busy() string {
	s := st.admission.Snapshot()
	switch b, q := s.Budget, s.Queue; {
	case s.Threads.InUse != 0 || s.Threads.FullInUse != 0 || len(st.admission.Decodes()) != 0:
		return fmt.Sprintf("permits: %+v", s.Threads)
	case b.InUseBytes != 0 || b.TileInUseBytes != 0 || b.IngestInUseBytes != 0 || b.EgressInUseBytes != 0:
		return fmt.Sprintf("bytes: %+v", b)
	case q.TileWaiting != 0 || q.FullWaiting != 0 || q.Bytes != 0 || q.HeldBytes != 0 || q.KeysWaiting != 0 || len(q.Keys) != 0:
		return fmt.Sprintf("queue: %+v", q)
	}
	for _, u := range s.Quota.Clients {
		if u.Active != 0 || u.Pending != 0 {
			return fmt.Sprintf("quota: %+v", u)
		}
	}
	if c := st.answers.Stat(); c.TemporaryBytes != 0 {
		return fmt.Sprintf("spool: %+v", c)
	}
	if n := st.gauge("iiifd_http_requests_in_flight"); n != 0 {
		return fmt.Sprintf("requests in flight: %v", n)
	}
	if n := st.gauge("iiifd_cache_fills_in_flight"); n != 0 {
		return fmt.Sprintf("fills in flight: %v", n)
	}
	return ""
}

// gauge returns the sum of a metric's values, -1 where there is no such
// metric.
func (st *stand) gauge(name string) float64 {
	families, err := st.metrics.Gather()
	if err != nil {
		return -1
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		sum := 0.0
		for _, m := range f.GetMetric() {
			sum += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
		return sum
	}
	return -1
}

const operatorToken = "a token of the operator's"

// save writes text to a file of its own.
func save(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
