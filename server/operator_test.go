package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/iiifd/admission"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
)

// operator is an operator listener under test.
type operator struct {
	*server.Operator
	url   string
	token string
	log   *journal
	http  *http.Client
}

// tryOperate opens an operator listener over a stand's parts.
func tryOperate(t *testing.T, st *stand, cfg server.OperatorConfig, log *journal) (*server.Operator, error) {
	t.Helper()
	warmer := render.NewWarmer(st.renderer, 1, slog.New(slog.DiscardHandler))
	t.Cleanup(warmer.Close)
	return server.OpenOperator(t.Context(), cfg, server.OperatorDeps{
		Admission: st.admission, Cache: st.answers, Public: st.Server, Log: slog.New(slog.NewJSONHandler(log, nil)), Warmer: warmer,
		Metrics: promhttp.HandlerFor(st.metrics, promhttp.HandlerOpts{}),
	})
}

// operate is tryOperate where it must succeed.
func operate(t *testing.T, st *stand, cfg server.OperatorConfig) *operator {
	t.Helper()
	o := &operator{log: newJournal(), http: direct(nil), token: operatorToken}
	var err error
	if o.Operator, err = tryOperate(t, st, cfg, o.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	t.Cleanup(o.http.CloseIdleConnections)
	o.url = "http://" + o.Address().String()
	if network, path := cfg.Address(); network == "unix" {
		o.url = "http://operator"
		o.http = direct(&http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}})
	}
	return o
}

// loopback is the configuration of most tests.
func loopback(t *testing.T) server.OperatorConfig {
	t.Helper()
	return server.OperatorConfig{Listen: "127.0.0.1:0", TokenFile: save(t, operatorToken)}
}

// answersWithin is far more than the 100 ms that operators are promised: a
// busy machine must not fail the test, and a listener that waits for a permit
// does.
const answersWithin = 10 * time.Second

// do sends a request with a body and a token, where there are such.
func (o *operator) do(t *testing.T, method, path, body, token string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answersWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, o.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := o.http.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{Response: resp, body: text, err: err}
}

// must is do with the token, for an answer of that status, read into v.
func (o *operator) must(t *testing.T, status int, method, path, body string, v any) {
	t.Helper()
	a := o.do(t, method, path, body, o.token)
	if a.err != nil || a.StatusCode != status {
		t.Fatalf("%s %s %s: %v %d %s", method, path, body, a.err, a.StatusCode, a.body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, a.body)
	}
}

var (
	healthPaths = []string{"/livez", "/readyz", "/healthz"}
	readPaths   = []string{
		"/metrics", "/admission", "/admission/decodes", "/admission/decisions", "/cache", "/cache/warm", "/",
		"/debug/pprof/", "/debug/pprof/goroutine", "/debug/pprof/cmdline", "/debug/pprof/symbol",
	}
	changes = [][2]string{
		{http.MethodDelete, "/admission/decodes/1"},
		{http.MethodPost, "/admission/drain"},
		{http.MethodPost, "/cache/purge"},
		{http.MethodPost, "/cache/warm"},
		{http.MethodDelete, "/cache/warm"},
	}
)

// TestOperatorTokens: on loopback reading is free and every change needs the
// token; elsewhere reading needs it too, and health never does.
func TestOperatorTokens(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true})
	near := operate(t, st, loopback(t))
	far := operate(t, st, server.OperatorConfig{Listen: "0.0.0.0:0", TokenFile: save(t, operatorToken+"\n")})
	_, port, err := net.SplitHostPort(far.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	far.url = "http://127.0.0.1:" + port
	refused := func(o *operator, method, path, token string) {
		t.Helper()
		a := o.do(t, method, path, "", token)
		if a.StatusCode != http.StatusUnauthorized || a.Header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(string(a.body), `"code":"token_required"`) {
			t.Errorf("%s %s with %q: %d %s", method, path, token, a.StatusCode, a.body)
		}
	}
	for _, path := range healthPaths {
		near.must(t, http.StatusOK, http.MethodGet, path, "", nil)
		if a := far.do(t, http.MethodGet, path, "", ""); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	for _, path := range readPaths {
		if a := near.do(t, http.MethodGet, path, "", ""); a.StatusCode != http.StatusOK || len(a.body) == 0 {
			t.Errorf("%s without a token: %d", path, a.StatusCode)
		}
		refused(far, http.MethodGet, path, "")
		refused(far, http.MethodGet, path, "another token of nobody's")
		far.must(t, http.StatusOK, http.MethodGet, path, "", nil)
	}
	for _, change := range changes {
		for _, o := range []*operator{near, far} {
			refused(o, change[0], change[1], "")
			refused(o, change[0], change[1], operatorToken+"x")
			refused(o, change[0], change[1], operatorToken[1:])
		}
	}
	if st.admission.Draining() {
		t.Error("drained without the token")
	}
	for _, path := range readPaths[:6] {
		if a := near.do(t, http.MethodPut, path, "", operatorToken); a.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("PUT %s: %d", path, a.StatusCode)
		}
	}
	if a := near.do(t, http.MethodDelete, "/debug/pprof/heap", "", operatorToken); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE of a profile: %d", a.StatusCode)
	}
	if a := near.do(t, http.MethodGet, "/nothing", "", operatorToken); a.StatusCode != http.StatusNotFound {
		t.Errorf("nothing: %d", a.StatusCode)
	}
}

// TestOperatorHost: a page of a foreign name that leads to loopback reads
// nothing; the machine's own names and addresses do, and so does the token.
func TestOperatorHost(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true})
	o := operate(t, st, loopback(t))
	ask := func(host, path, token string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := o.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	own := []string{"localhost", "LOCALHOST:9182", "ops.localhost:1", "localhost.", "127.0.0.1", "127.0.0.1:9182", "[::1]:9182", "[::1]", "::1"}
	for _, host := range own {
		if got := ask(host, "/admission", ""); got != http.StatusOK {
			t.Errorf("%s: %d", host, got)
		}
	}
	for _, host := range []string{"page.example", "page.example:9182", "localhost.page.example", "127.0.0.1.page.example:9182", "notlocalhost"} {
		for _, path := range readPaths {
			if got := ask(host, path, ""); got != http.StatusUnauthorized {
				t.Errorf("%s%s: %d", host, path, got)
			}
		}
		if got := ask(host, "/admission", operatorToken); got != http.StatusOK {
			t.Errorf("%s with the token: %d", host, got)
		}
		if got := ask(host, "/readyz", ""); got != http.StatusOK {
			t.Errorf("%s/readyz: %d", host, got)
		}
	}
}

// TestOperatorNeedsToken: what others can reach does not start without a
// token, nor with one that is not worth the name.
func TestOperatorNeedsToken(t *testing.T) {
	st := build(t, setup{dir: cases(t), unseen: true})
	for _, c := range []struct{ listen, file, says string }{
		{"0.0.0.0:0", "", "operator-token-file"},
		{"[::]:0", "", "operator-token-file"},
		{":0", "", "operator-token-file"},
		{"images.example:0", "", "operator-token-file"},
		{"127.0.0.1:0", save(t, "short"), "16 characters"},
		{"127.0.0.1:0", save(t, ""), "16 characters"},
		{"127.0.0.1:0", filepath.Join(t.TempDir(), "none"), "operator-token-file"},
		{"127.0.0.1:99999", save(t, operatorToken), "operator-listen"},
	} {
		o, err := tryOperate(t, st, server.OperatorConfig{Listen: c.listen, TokenFile: c.file}, newJournal())
		if err == nil {
			_ = o.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, %q: %v, want %q", c.listen, c.file, err, c.says)
		}
	}
}

// TestOperatorMadeToken: without a file a token is made that only this user
// can read. What stands in its place is replaced and never followed.
func TestOperatorMadeToken(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true})
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	cfg := server.OperatorConfig{Listen: "127.0.0.1:0"}
	victim := save(t, "somebody's file")
	if err := os.Symlink(victim, cfg.MadeTokenFile()); err != nil {
		t.Fatal(err)
	}
	var last string
	for range 2 { // The second start replaces the first one's file.
		o := operate(t, st, cfg)
		info, err := os.Lstat(cfg.MadeTokenFile())
		if err != nil || info.Mode() != 0o600 {
			t.Fatalf("%v, %v", info.Mode(), err)
		}
		text, err := os.ReadFile(cfg.MadeTokenFile())
		if err != nil {
			t.Fatal(err)
		}
		o.token = strings.TrimSpace(string(text))
		if len(o.token) < 32 || o.token == last {
			t.Errorf("token %q after %q", o.token, last)
		}
		last = o.token
		o.must(t, http.StatusOK, http.MethodDelete, "/cache/warm", "", nil)
		line, values := o.log.next(t)
		if values["token_file"] != cfg.MadeTokenFile() || strings.Contains(line, o.token) {
			t.Errorf("logged %s", line)
		}
	}
	o := operate(t, st, cfg)
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(cfg.MadeTokenFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the made token outlived its server: %v", err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "somebody's file" {
		t.Errorf("the link was followed: %q, %v", text, err)
	}
}

func TestOperatorSocket(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true})
	path := filepath.Join(t.TempDir(), "operator.sock")
	cfg := server.OperatorConfig{Listen: "unix:" + path, TokenFile: save(t, operatorToken)}
	o := operate(t, st, cfg)
	if info, err := os.Stat(path); err != nil || info.Mode().Type() != fs.ModeSocket || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if a := o.do(t, http.MethodGet, "/admission", "", ""); a.StatusCode != http.StatusOK {
		t.Errorf("%d", a.StatusCode)
	}
	if a := o.do(t, http.MethodPost, "/admission/drain", "", ""); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("a change without the token: %d", a.StatusCode)
	}
	if second, err := tryOperate(t, st, cfg, newJournal()); err == nil || !strings.Contains(err.Error(), "another process") {
		_ = second.Close()
		t.Errorf("a socket in use was taken: %v", err)
	}
	if a := o.do(t, http.MethodGet, "/livez", "", ""); a.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	// What a killed process leaves behind.
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if a := operate(t, st, cfg).do(t, http.MethodGet, "/livez", "", ""); a.StatusCode != http.StatusOK {
		t.Errorf("over an old socket: %d", a.StatusCode)
	}
	file := save(t, "no socket")
	if _, err := tryOperate(t, st, server.OperatorConfig{Listen: "unix:" + file, TokenFile: cfg.TokenFile}, newJournal()); err == nil {
		t.Error("a file was taken for a socket")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "no socket" {
		t.Errorf("%q %v", text, err)
	}
}

// TestOperatorWhileFull: with every permit held and both queues full, every
// endpoint answers at once; a cancel frees bytes and lets the next one in.
func TestOperatorWhileFull(t *testing.T) {
	st, g, _ := drill(t, setup{set: map[string]string{"queue-max": "2"}})
	o := operate(t, st, loopback(t))
	g.close()
	c := from(t, "127.0.0.2")
	fulls, tiles := st.overload(t, c, 2)
	for _, path := range slices.Concat(healthPaths, readPaths) {
		o.must(t, http.StatusOK, http.MethodGet, path, "", nil)
	}
	o.must(t, http.StatusOK, http.MethodPost, "/cache/purge", `{"all":true}`, nil)
	o.must(t, http.StatusAccepted, http.MethodPost, "/cache/warm", `{"ids":["I"],"sizes":["50,"]}`, nil)
	o.must(t, http.StatusOK, http.MethodDelete, "/cache/warm", "", nil)
	o.must(t, http.StatusNotFound, http.MethodDelete, "/admission/decodes/nobody", "", nil)
	o.must(t, http.StatusBadRequest, http.MethodPost, "/cache/purge", `{}`, nil)

	var before, after admission.Snapshot
	o.must(t, http.StatusOK, http.MethodGet, "/admission", "", &before)
	var running struct{ Decodes []admission.Decode }
	o.must(t, http.StatusOK, http.MethodGet, "/admission/decodes", "", &running)
	if len(running.Decodes) != 4 || before.Queue.FullWaiting != 2 {
		t.Fatalf("%+v %+v", running, before.Queue)
	}
	gone := ""
	for _, d := range running.Decodes {
		if d.Lane == admission.LaneFull {
			gone = d.ID
			break
		}
	}
	o.must(t, http.StatusAccepted, http.MethodDelete, "/admission/decodes/"+gone, "", nil)
	await(t, "the next one's grant", func() bool {
		o.must(t, http.StatusOK, http.MethodGet, "/admission", "", &after)
		return after.Queue.FullWaiting == 1 && after.Threads.FullInUse == 2
	})
	o.must(t, http.StatusOK, http.MethodGet, "/admission/decodes", "", &running)
	for _, d := range running.Decodes {
		if d.ID == gone {
			t.Error("the cancelled one still runs")
		}
	}
	g.open()
	cancelled := 0
	for _, l := range fulls {
		switch a := receive(t, l.path, l.done); {
		case a.err != nil:
			t.Error(a.err)
		case a.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(a.body), `"code":"cancelled"`):
			cancelled++
		case a.StatusCode != http.StatusOK:
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
	if cancelled != 1 {
		t.Errorf("%d requests were cancelled", cancelled)
	}
	answered(t, tiles)
	if n := st.gauge("iiifd_admission_cancelled_total"); n != 1 {
		t.Errorf("%v cancellations counted", n)
	}
	st.idle(t)
}

// TestOperatorDrain: unready at once on both listeners, waiters are told so,
// and a second order changes nothing.
func TestOperatorDrain(t *testing.T) {
	st, g, _ := drill(t, setup{})
	o := operate(t, st, loopback(t))
	g.close()
	c := from(t, "127.0.0.2")
	fulls, tiles := st.overload(t, c, 1)
	for range 2 {
		o.must(t, http.StatusAccepted, http.MethodPost, "/admission/drain", "", nil)
	}
	for _, path := range healthPaths[1:] {
		o.must(t, http.StatusServiceUnavailable, http.MethodGet, path, "", nil)
		problem(t, st.get(t, path), http.StatusServiceUnavailable, "draining")
	}
	o.must(t, http.StatusOK, http.MethodGet, "/livez", "", nil)
	var s admission.Snapshot
	o.must(t, http.StatusOK, http.MethodGet, "/admission", "", &s)
	if !s.Draining || s.Queue.FullWaiting != 0 || s.Queue.TileWaiting != 0 || s.Threads.InUse != 4 || s.ShedByCode[admission.CodeDraining] != 2 {
		t.Errorf("%+v", s)
	}
	g.open()
	drained := 0
	for _, l := range append(fulls, tiles...) {
		if a := receive(t, l.path, l.done); a.StatusCode == http.StatusServiceUnavailable {
			problem(t, a, http.StatusServiceUnavailable, string(admission.CodeDraining))
			drained++
		}
	}
	if drained != 2 {
		t.Errorf("%d waiters were told", drained)
	}
	st.idle(t)
}
