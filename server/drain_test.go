package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// held is a decoder whose work waits for the gate and is then carried out.
func held(begun chan<- struct{}, gate <-chan struct{}) func(render.Decoder) render.Decoder {
	return func(real render.Decoder) render.Decoder {
		d := &fake{Decoder: real}
		d.render = func(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error {
			begun <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return real.Render(ctx, obj, p, w)
		}
		return d
	}
}

// TestDrain shows the end of a server: first unready while it still answers,
// then closed to new connections while running requests end.
func TestDrain(t *testing.T) {
	for name, protocols := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2":   func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		t.Run(name, func(t *testing.T) {
			begun, gate := make(chan struct{}, 8), make(chan struct{})
			st := build(t, setup{dir: cases(t), decoder: held(begun, gate)})
			if err := st.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			st.url = "http://" + st.Address().String()
			p := new(http.Protocols)
			protocols(p)
			c := direct(&http.Transport{Protocols: p})
			defer c.CloseIdleConnections()
			running := make(chan answer, 1)
			go func() {
				running <- ask(t, c, http.MethodGet, st.url, "/iiif/3/I/full/100,/0/default.png")
			}()
			receive(t, "the request", begun)

			if a := st.get(t, "/readyz"); a.StatusCode != http.StatusOK {
				t.Errorf("before: %d", a.StatusCode)
			}
			st.Drain()
			for _, path := range []string{"/readyz", "/healthz"} {
				a := st.get(t, path)
				problem(t, a, http.StatusServiceUnavailable, "draining")
				if a.Header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			}
			for _, path := range []string{"/livez", "/iiif/3/I/info.json"} {
				if a := st.get(t, path); a.StatusCode != http.StatusOK {
					t.Errorf("%s while draining: %d", path, a.StatusCode)
				}
			}

			closed := make(chan error, 1)
			go func() { closed <- st.Close(context.Background()) }()
			await(t, "new connections to be refused", func() bool {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", st.Address().String())
				if err == nil {
					_ = conn.Close()
				}
				return err != nil
			})
			select {
			case err := <-closed:
				t.Fatalf("closed during a request: %v", err)
			case a := <-running:
				t.Fatalf("answered too early: %v", a.err)
			default:
			}
			close(gate)
			a := receive(t, "the running request", running)
			if a.err != nil || a.StatusCode != http.StatusOK {
				t.Fatalf("the running request: %v %v", a.err, a.Response)
			}
			if complaint := check("image png 100x80", "", a.Response, a.body); complaint != "" {
				t.Error(complaint)
			}
			if err := receive(t, "the end", closed); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDrainTimeout shows that a request which does not end in time is cut
// off, and its work cancelled.
func TestDrainTimeout(t *testing.T) {
	begun, gate := make(chan struct{}, 1), make(chan struct{})
	st := build(t, setup{dir: cases(t), decoder: held(begun, gate)})
	if err := st.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	st.url = "http://" + st.Address().String()
	c := direct(nil)
	defer c.CloseIdleConnections()
	running := make(chan answer, 1)
	go func() { running <- ask(t, c, http.MethodGet, st.url, "/iiif/3/I/full/100,/0/default.png") }()
	receive(t, "the request", begun)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := st.Close(ctx); err == nil {
		t.Error("nothing is said of the request that was cut off")
	}
	if a := receive(t, "the client", running); a.err == nil {
		t.Errorf("answered: %v", a.Response)
	}
	if _, values := st.access.next(t); values["status"] != 499.0 {
		t.Errorf("%v", values)
	}
}
