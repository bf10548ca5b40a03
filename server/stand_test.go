package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/docroot"
	"example.com/iiifd/iiif"
	"example.com/iiifd/lua"
	"example.com/iiifd/option"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// setup is how a server under test differs from "iiifd serve DIR".
type setup struct {
	dir string
	// set holds options by name.
	set map[string]string
	// adjust sets what options refuse, such as very short time-outs.
	adjust func(*server.Config)
	// decoder stands in for libvips or around it; nil is libvips.
	decoder func(render.Decoder) render.Decoder
	// source stands in for the directory or around it; nil is the directory.
	source func(*source.Directory) source.Source
	// scripts and docroot are files by name; a script init.lua is the init
	// script. routes are those of the configuration file.
	scripts, docroot map[string]string
	routes           []lua.Route
	docrootRoute     string
	// hostile expects that the server refuses these settings.
	hostile func(error)
	// unseen leaves out the landing page.
	unseen bool
	// resident is the process' memory in bytes as admission sees it; nil
	// leaves that signal out. Admission samples when the test calls its Tick.
	resident func() int64
}

// stand is a server under test.
type stand struct {
	*server.Server
	url     string
	access  *journal
	log     *journal
	metrics *prometheus.Registry
	// admission and answers are the parts whose gauges drills look at.
	admission *admission.Controller
	renderer  *render.Renderer
	answers   *cache.Cache
}

// settle is the longest that a test waits for what must happen at once.
const settle = 30 * time.Second

// build makes the server with all its parts; it does not listen yet.
func build(tb testing.TB, p setup) *stand {
	tb.Helper()
	var cfg server.Config
	var rcfg render.Config
	var dcfg decode.Config
	var scfg source.Config
	var ccfg cache.Config
	var acfg admission.Config
	var luaOptions lua.Config
	options := option.NewSet()
	cfg.Options(options)
	rcfg.Options(options)
	dcfg.Options(options)
	scfg.Options(options)
	ccfg.Options(options)
	acfg.Options(options)
	luaOptions.Options(options)
	set := map[string]string{"listen": "127.0.0.1:0", "cache-dir": tb.TempDir()}
	maps.Copy(set, p.set)
	if err := options.LoadFlags(set); err != nil {
		tb.Fatal(err)
	}
	acfg.RequestTimeout, acfg.BodyReadTimeout, acfg.TrustedProxies = cfg.RequestTimeout, cfg.BodyReadTimeout, cfg.TrustedProxies
	if p.adjust != nil {
		p.adjust(&cfg)
	}
	st := &stand{access: newJournal(), log: newJournal(), metrics: prometheus.NewRegistry()}
	log := slog.New(slog.NewJSONHandler(st.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	engine, err := decode.Start(dcfg, log, st.metrics)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(engine.Close)
	dir, err := source.NewDirectory(p.dir, scfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = dir.Close() })
	var decoder render.Decoder = engine
	if p.decoder != nil {
		decoder = p.decoder(engine)
	}
	var src source.Source = dir
	if p.source != nil {
		src = p.source(dir)
	}
	// A machine of the test's own, so that nothing depends on the real one.
	facts := admission.Facts{CPUs: 4, Memory: &admission.Memory{HostTotal: 4 << 30, HostAvailable: 4 << 30}}
	if p.scripts != nil || p.docroot != nil {
		facts.ScriptMemory = luaOptions.MemoryLimit
	}
	if p.resident != nil {
		facts.Manual, facts.RSS = true, func() (int64, bool) { return p.resident(), true }
	}
	controller, err := admission.New(acfg, facts, log, st.metrics)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(controller.Close)
	ledger := func(key string) cache.Ledger { return egress{controller, key} }
	answers, err := cache.New(ccfg, ledger(""), log, st.metrics)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = answers.Close() })
	answers.SetMemoryBytes(controller.Books().MemoryCache)
	st.admission, st.answers = controller, answers
	r, err := render.New(rcfg, render.Deps{Decoder: decoder, Cache: answers, Admission: controller, Ledger: ledger, Threshold: acfg.Threshold, Registerer: st.metrics}, 4)
	if err != nil {
		tb.Fatal(err)
	}
	st.renderer = r
	prefetch := render.NewPrefetcher(r, 1)
	tb.Cleanup(prefetch.Close)
	deps := server.Deps{
		Renderer: r, Admission: controller, Log: log, Access: slog.New(slog.NewJSONHandler(st.access, nil)), Registerer: st.metrics,
		Mounts: []server.Mount{
			{Path: "/iiif/3", Version: iiif.V3, Source: src},
			{Path: "/iiif/2", Version: iiif.V2, Source: src},
			{Path: "/internal/pictures", Public: "/img", Version: iiif.V3, Source: src},
		},
		Ready:    func(context.Context) error { return nil },
		Prefetch: prefetch,
	}
	if !p.unseen {
		deps.Viewer = docroot.NewViewer(server.NewGallery(dir, r), docroot.ViewerOptions{PageSuffix: ";", FirstPage: 1, Log: log})
	}
	st.addScripts(tb, p, &deps, luaOptions, src, log)
	if st.Server, err = server.New(cfg, deps); p.hostile != nil {
		p.hostile(err)
	} else if err != nil {
		tb.Fatal(err)
	}
	return st
}

// egress books answers with admission, as "iiifd serve" does.
type egress struct {
	controller *admission.Controller
	key        string
}

func (e egress) Reserve(n int64) bool { return e.controller.Egress.Take(e.key, n) }
func (e egress) Release(n int64)      { e.controller.Egress.Give(e.key, n) }

// open starts a server on a free port of the loopback and ends it after the
// test.
func open(t *testing.T, p setup) *stand {
	t.Helper()
	st := build(t, p)
	if err := st.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), settle)
		defer cancel()
		if err := st.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	scheme := "http://"
	if p.set["tls-cert"] != "" {
		scheme = "https://"
	}
	st.url = scheme + st.Address().String()
	return st
}

// journal is a log that tests read line by line.
type journal struct {
	mu    sync.Mutex
	part  []byte
	lines chan []byte
}

func newJournal() *journal { return &journal{lines: make(chan []byte, 1<<16)} }

// Write implements io.Writer.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.part = append(j.part, p...)
	for {
		line, rest, found := bytes.Cut(j.part, []byte("\n"))
		if !found {
			return len(p), nil
		}
		j.lines <- bytes.Clone(line)
		j.part = rest
	}
}

// next waits for a line and returns it as text and read as JSON.
func (j *journal) next(t *testing.T) (string, map[string]any) {
	t.Helper()
	select {
	case line := <-j.lines:
		var values map[string]any
		if err := json.Unmarshal(line, &values); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		return string(line), values
	case <-time.After(settle):
		t.Fatal("no line was logged")
		return "", nil
	}
}

// answer is a response read to its end; err is why that failed.
type answer struct {
	*http.Response
	body []byte
	err  error
}

// direct is a client that follows no redirect and asks for no compression.
func direct(transport *http.Transport) *http.Client {
	if transport == nil {
		transport = &http.Transport{}
	}
	transport.DisableCompression = true
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends a request whose path is kept as it stands, with headers given as
// "Name: value".
func ask(t *testing.T, c *http.Client, method, base, path string, headers ...string) answer {
	t.Helper()
	return askContext(t.Context(), t, c, method, base, path, headers...)
}

func askContext(ctx context.Context, t *testing.T, c *http.Client, method, base, path string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = path
	for _, h := range headers {
		name, value, _ := bytes.Cut([]byte(h), []byte(": "))
		if string(name) == "Host" {
			req.Host = string(value)
			continue
		}
		req.Header.Add(string(name), string(value))
	}
	resp, err := c.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{Response: resp, body: body, err: err}
}

// get is ask for a GET that must be answered whole.
func (st *stand) get(t *testing.T, path string, headers ...string) answer {
	t.Helper()
	c := direct(nil)
	defer c.CloseIdleConnections()
	a := ask(t, c, http.MethodGet, st.url, path, headers...)
	if a.err != nil {
		t.Fatalf("%s: %v", path, a.err)
	}
	return a
}

// await waits for a condition that other goroutines bring about.
func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	awaitProgress(t, what, func() (float64, bool) { return 0, met() })
}

// awaitProgress waits as long as it takes, on a machine however slow, but
// not for settle without progress.
func awaitProgress(t *testing.T, what string, met func() (progress float64, done bool)) {
	t.Helper()
	deadline := time.NewTimer(settle)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for last, done := met(); !done; {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited in vain for %s, at %v", what, last)
		}
		var now float64
		if now, done = met(); now != last {
			last = now
			deadline.Reset(settle)
		}
	}
}

// receive waits for a value.
func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(settle):
		t.Fatal("waited in vain for " + what)
		panic("unreachable")
	}
}

// dial opens a plain connection that is closed after the test.
func (st *stand) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", st.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(settle)); err != nil {
		t.Fatal(err)
	}
	return c
}
