package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// TestIdenticalRequests sends many identical requests at once: one decode
// answers them all, with the same bytes (R161).
func TestIdenticalRequests(t *testing.T) {
	const clients = 40
	begun, gate := make(chan struct{}, clients), make(chan struct{})
	var counted *fake
	st := open(t, setup{dir: cases(t), decoder: func(real render.Decoder) render.Decoder {
		counted = held(begun, gate)(real).(*fake)
		return counted
	}})
	c := direct(&http.Transport{MaxConnsPerHost: clients})
	defer c.CloseIdleConnections()
	answers := make(chan answer, clients)
	for range clients {
		go func() { answers <- ask(t, c, http.MethodGet, st.url, "/iiif/3/I/full/300,/0/default.png") }()
	}
	receive(t, "a decode", begun)
	close(gate)
	var first answer
	for i := range clients {
		a := receive(t, "an answer", answers)
		if a.err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(a.err, a.Response)
		}
		if i == 0 {
			first = a
		} else if !bytes.Equal(a.body, first.body) || a.Header.Get("ETag") != first.Header.Get("ETag") {
			t.Error("two answers to one request")
		}
	}
	if n := counted.renders.Load(); n != 1 {
		t.Errorf("%d decodes", n)
	}
}

// TestOverload fills every place and asks for more: refusals are 503 with
// Retry-After, what needs no decode is answered all the same, and all who
// were let in get their picture (R161).
func TestOverload(t *testing.T) {
	begun, gate := make(chan struct{}, 64), make(chan struct{})
	st := open(t, setup{
		dir: cases(t), set: map[string]string{"nthreads": "2", "queue-max": "1", "queue-timeout-tile": "30s", "queue-timeout-full": "30s"},
		decoder: held(begun, gate),
	})
	c := direct(nil)
	defer c.CloseIdleConnections()
	const asked = 12
	answers := make(chan answer, asked)
	for i := range asked {
		go func() {
			answers <- ask(t, c, http.MethodGet, st.url, fmt.Sprintf("/iiif/3/I/%d,0,200,200/100,/0/default.png", i))
		}()
	}
	refused := 0
	for refused < asked-3 { // Two run, one waits.
		a := receive(t, "a refusal", answers)
		problem(t, a, http.StatusServiceUnavailable, "[a-z_]+")
		if a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		refused++
	}
	for _, path := range []string{"/livez", "/readyz", "/iiif/3/I/info.json", "/iiif/3/I/file", "/iiif/3/I", "/"} {
		if a := st.get(t, path); a.StatusCode >= 400 {
			t.Errorf("%s while all places are taken: %d", path, a.StatusCode)
		}
	}
	close(gate)
	for range asked - refused {
		if a := receive(t, "an answer", answers); a.err != nil || a.StatusCode != http.StatusOK {
			t.Errorf("%v %v", a.err, a.Response)
		}
	}
}

// TestCorruptIsNotKept shows that an error is nobody's answer but the one's
// who met it: the next request tries again.
func TestCorruptIsNotKept(t *testing.T) {
	fails := true
	d := &fake{}
	d.render = func(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error {
		if fails {
			return plan.NewFailure(plan.Internal, "once", nil)
		}
		return d.Decoder.Render(ctx, obj, p, w)
	}
	st := open(t, setup{dir: cases(t), decoder: d.around})
	const image = "/iiif/3/I/full/100,/0/default.jpg"
	problem(t, st.get(t, image), http.StatusInternalServerError, "internal")
	fails = false
	for range 2 {
		if a := st.get(t, image); a.StatusCode != http.StatusOK {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
	if n := d.renders.Load(); n != 2 {
		t.Errorf("%d decodes, want the failed one and another", n)
	}
}
