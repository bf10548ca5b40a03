package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// gated is a source whose objects wait at their first read until the gate
// opens.
type gated struct {
	source.Source
	begun chan struct{}
	gate  chan struct{}
}

func (g *gated) Open(ctx context.Context, id string) (source.Object, error) {
	obj, err := g.Source.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return &gatedObject{Object: obj, source: g}, nil
}

type gatedObject struct {
	source.Object
	source *gated
}

func (o *gatedObject) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 {
		o.source.begun <- struct{}{}
		<-o.source.gate
	}
	return o.Object.ReadAt(p, off)
}

// problem checks that an answer is the problem of that status and code, in
// the form that all have (R148 R154 R155 R156).
func problem(t *testing.T, a answer, status int, code string) {
	t.Helper()
	if a.err != nil {
		t.Fatal(a.err)
	}
	h := a.Header
	if a.StatusCode != status || h.Get("Content-Type") != "application/problem+json" || h.Get("Cache-Control") != "no-store" ||
		h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Expose-Headers") == "" || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("ETag") != "" || h.Get("Last-Modified") != "" || h.Get("Content-Disposition") != "" {
		t.Errorf("status %d, header %v", a.StatusCode, h)
	}
	if complaint := check(`body =~ "status":`+strconv.Itoa(status)+`,"code":"`+code+`"`, "", a.Response, a.body); complaint != "" {
		t.Errorf("want %s: %s", code, complaint)
	}
	if complaint := check(`body =~ "request_id":"`+h.Get("X-Request-Id")+`"`, "", a.Response, a.body); complaint != "" {
		t.Error(complaint)
	}
}

// TestFileStreams shows that original files have their own bound, refused
// honestly, and that nothing else waits for them (R161).
func TestFileStreams(t *testing.T) {
	g := &gated{begun: make(chan struct{}), gate: make(chan struct{})}
	st := open(t, setup{dir: cases(t), set: map[string]string{"file-streams": "1"}, source: func(d *source.Directory) source.Source {
		g.Source = d
		return g
	}})
	first := make(chan answer, 1)
	go func() { first <- st.get(t, "/iiif/3/text.txt/file") }()
	receive(t, "the first stream", g.begun)
	refused := st.get(t, "/iiif/3/text.txt/file")
	problem(t, refused, http.StatusServiceUnavailable, "file_streams_exhausted")
	if refused.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	c := direct(nil)
	defer c.CloseIdleConnections()
	if a := ask(t, c, http.MethodHead, st.url, "/iiif/3/text.txt/file"); a.err != nil || a.StatusCode != http.StatusOK || a.ContentLength != 13 {
		t.Errorf("HEAD: %v %v", a.err, a.Response)
	}
	if a := st.get(t, "/livez"); a.StatusCode != http.StatusOK {
		t.Errorf("livez: %d", a.StatusCode)
	}
	close(g.gate)
	if a := receive(t, "the first answer", first); string(a.body) != "not a picture" {
		t.Errorf("%d %q", a.StatusCode, a.body)
	}
	go func() { <-g.begun }()
	if a := st.get(t, "/iiif/3/text.txt/file"); a.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
}

// client speaks HTTP/1.1 over one connection, so that a test knows which.
type client struct {
	net.Conn
	r *bufio.Reader
}

func (c *client) send(t *testing.T, path string) {
	t.Helper()
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: images.example\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
}

func (c *client) read(t *testing.T) answer {
	t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{Response: resp, body: body, err: err}
}

func (st *stand) client(t *testing.T) *client {
	t.Helper()
	c := st.dial(t)
	return &client{c, bufio.NewReader(c)}
}

// TestConnectionCap shows that a connection above the cap is served once one
// of those at work has become idle.
func TestConnectionCap(t *testing.T) {
	begun, gate := make(chan struct{}), make(chan struct{})
	d := &fake{render: func(context.Context, source.Object, plan.Plan, io.Writer) error {
		begun <- struct{}{}
		<-gate
		return plan.NewFailure(plan.Corrupt, "", nil)
	}}
	st := open(t, setup{dir: cases(t), decoder: d.around, set: map[string]string{"max-connections": "2"}})
	one, two, three := st.client(t), st.client(t), st.client(t)
	one.send(t, "/iiif/3/I/full/10,/0/default.png")
	receive(t, "the first decode", begun)
	two.send(t, "/iiif/3/I/full/11,/0/default.png")
	receive(t, "the second decode", begun)
	three.send(t, "/robots.txt")
	gate <- struct{}{} // The third is served once one of the others has nothing to do.
	if a := three.read(t); a.err != nil || a.StatusCode != http.StatusOK {
		t.Error(a.err, a.Response)
	}
	gate <- struct{}{}
	if n := st.gauge("iiifd_http_idle_connections_closed_total"); n != 1 {
		t.Errorf("%v connections made room", n)
	}
}

// TestIdleConnectionsMakeRoom shows that kept connections do not lock out new
// clients, and that the longest idle one goes first.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	st := open(t, setup{dir: cases(t), set: map[string]string{"max-connections": "2"}})
	idle := 2.0
	get := func(c *client) {
		t.Helper()
		c.send(t, "/robots.txt")
		if a := c.read(t); a.err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(a.err, a.Response)
		}
		// The answer may be here before the server is done with it.
		await(t, "idle connections", func() bool { return st.gauge("iiifd_http_idle_connections") == idle })
	}
	one, two := st.client(t), st.client(t)
	idle = 1
	get(one)
	idle = 2
	get(two)
	get(one) // Now the second is the longer idle one.
	three := st.client(t)
	get(three)
	get(one)
	two.send(t, "/robots.txt")
	if a := two.read(t); a.err == nil {
		t.Error("the longest idle connection is still served")
	}
	for range 20 {
		get(st.client(t))
	}
	if n := st.gauge("iiifd_http_idle_connections_closed_total"); n != 21 {
		t.Errorf("%v connections made room", n)
	}
}

// TestRequestTimeout shows 408 for work that does not end in time, in both
// versions of HTTP, and that the work has ended.
func TestRequestTimeout(t *testing.T) {
	begun := make(chan struct{}, 1)
	d := &fake{render: blocked(begun)}
	st := open(t, setup{dir: cases(t), decoder: d.around, adjust: func(c *server.Config) { c.RequestTimeout = 50 * time.Millisecond }})
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	for name, c := range map[string]*http.Client{"HTTP/1.1": direct(nil), "HTTP/2": direct(&http.Transport{Protocols: protocols})} {
		a := ask(t, c, http.MethodGet, st.url, "/iiif/3/I/full/100,/0/default.jpg")
		problem(t, a, http.StatusRequestTimeout, "request_timeout")
		receive(t, "the decoder", begun)
		if _, values := st.access.next(t); values["status"] != 408.0 || values["code"] != "request_timeout" {
			t.Errorf("%s: %v", name, values)
		}
		if a := ask(t, c, http.MethodGet, st.url, "/iiif/3/I/info.json"); a.err != nil || a.StatusCode != http.StatusOK {
			t.Errorf("%s: afterwards %v %v", name, a.err, a.Response)
		}
		st.access.next(t)
		c.CloseIdleConnections()
	}
}

// handles counts the process's open files below dir.
func handles(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil {
			continue // It was the listing's own.
		}
		if rel, err := filepath.Rel(dir, target); err == nil && filepath.IsLocal(rel) && rel != "." {
			n++
		}
	}
	return n
}

// TestClientGone shows that work ends with its client, and that neither
// goroutines nor files stay behind.
func TestClientGone(t *testing.T) {
	dir := cases(t)
	begun := make(chan struct{}, 1)
	d := &fake{render: blocked(begun)}
	st := open(t, setup{dir: dir, decoder: d.around})
	c := direct(&http.Transport{DisableKeepAlives: true})
	leave := func(path string) {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan answer, 1)
		go func() { gone <- askContext(ctx, t, c, http.MethodGet, st.url, path) }()
		receive(t, "the decoder", begun)
		if handles(t, dir) == 0 {
			t.Error("no file is open during the work: this test sees nothing")
		}
		cancel()
		if a := receive(t, "the client", gone); a.err == nil {
			t.Errorf("answered: %v", a.Response)
		}
		line, values := st.access.next(t)
		if values["status"] != 499.0 || values["code"] != "client_gone" {
			t.Errorf("%s", line)
		}
	}
	leave("/iiif/3/I/full/100,/0/default.jpg")
	goroutines := runtime.NumGoroutine()
	for i := range 20 {
		leave(fmt.Sprintf("/iiif/3/I/full/%d,/0/default.jpg", 101+i))
	}
	await(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines })
	await(t, "the files to be closed", func() bool { return handles(t, dir) == 0 })
}
