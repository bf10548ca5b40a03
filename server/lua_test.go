package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/lua"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// post sends a body.
func (st *stand) post(t *testing.T, path, contentType string, body io.Reader) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, st.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	c := direct(nil)
	defer c.CloseIdleConnections()
	resp, err := c.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{Response: resp, body: text, err: err}
}

// TestRoutes: what scripts answer, and what they cannot hide.
func TestRoutes(t *testing.T) {
	st := open(t, setup{
		dir: cases(t),
		scripts: map[string]string{
			"hello.lua": `server.sendHeader('X-A', '1') server.sendHeader('Content-Type', 'text/x') server.sendStatus(201) server.print(server.method, ' ', server.uri, ' ', (server.get or {}).q or '')`,
			"echo.lua":  `server.print(server.content or '', (server.post or {}).a or '', server.uploads and server.uploads[1].origname or '')`,
			"error.lua": `error('a secret of the script')`,
			"late.lua":  `server.print(string.rep('x', 100000)) error('late')`,
			"bomb.lua":  `local s = 'x' while true do s = s .. s end`,
			"top.lua":   `server.print('top ', server.uri)`,
			"two.lua":   `server.sendCookie('a', '1') server.sendCookie('b', '2')`,
		},
		routes: append(routesTo("hello.lua", "echo.lua", "error.lua", "late.lua", "bomb.lua", "two.lua", "gone.lua"), lua.Route{Method: "GET", Path: "/", Script: "top.lua"}),
	})
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"/hello?q=%C3%A4":            {201, "GET /hello ä"},
		"/hello/further/down":        {201, "GET /hello/further/down "},
		"/hellohello":                {200, "top /hellohello"},
		"/error":                     {500, `"code":"script_failed"`},
		"/bomb":                      {500, `"code":"script_ended"`},
		"/gone":                      {404, `"code":"not_found"`},
		"/":                          {200, "top /"},
		"/hello%00":                  {400, `"code":"path_invalid"`},
		"/livez":                     {200, "ok"},
		"/iiif/3/nothing/info.json":  {404, `"code":"not_found"`},
		"/iiif/3/I/full/50,/0/x.jpg": {400, "quality"},
	} {
		a := st.get(t, path)
		if a.StatusCode != want.status || !strings.Contains(string(a.body), want.says) || strings.Contains(string(a.body), "secret") {
			t.Errorf("%s: %d %.300s", path, a.StatusCode, a.body)
		}
		if a.Header.Get("Access-Control-Allow-Origin") != "*" || a.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
	c := direct(nil)
	defer c.CloseIdleConnections()
	if a := ask(t, c, "HEAD", st.url, "/hello"); a.err != nil || a.StatusCode != http.StatusCreated || a.Header.Get("X-A") != "1" || len(a.body) != 0 {
		t.Errorf("HEAD: %v %v", a.err, a.Response)
	}
	if a := ask(t, c, "DELETE", st.url, "/hello"); a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET, POST, OPTIONS" {
		t.Errorf("DELETE: %d %q", a.StatusCode, a.Header.Get("Allow"))
	}
	if a := ask(t, c, "OPTIONS", st.url, "/hello"); a.StatusCode != http.StatusNoContent || a.Header.Get("Access-Control-Allow-Methods") != "GET, POST, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", a.StatusCode, a.Header)
	}
	if a := ask(t, c, "POST", st.url, "/iiif/3/I/info.json"); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST to an image: %d", a.StatusCode)
	}
	if a := st.get(t, "/two"); len(a.Header.Values("Set-Cookie")) != 2 {
		t.Errorf("cookies: %v", a.Header)
	}
	// An error after the head resets: the answer must not look whole.
	if a := ask(t, c, "GET", st.url, "/late"); a.err == nil {
		t.Errorf("a script that failed late looks whole: %d bytes", len(a.body))
	}
	if a := st.post(t, "/echo", "text/plain", strings.NewReader("body")); string(a.body) != "body" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := st.post(t, "/echo", "application/x-www-form-urlencoded", strings.NewReader("a=1%202")); string(a.body) != "1 2" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("f", "page.tif")
	if err == nil {
		_, err = part.Write(bytes.Repeat([]byte("x"), 3<<20))
	}
	if err != nil || m.Close() != nil {
		t.Fatal(err)
	}
	if a := st.post(t, "/echo", m.FormDataContentType(), &form); string(a.body) != "page.tif" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := st.post(t, "/echo", "multipart/form-data; boundary=x", strings.NewReader("--y")); a.StatusCode != http.StatusBadRequest {
		t.Errorf("a broken form: %d %s", a.StatusCode, a.body)
	}
	st.idle(t)
}

// TestRoutesMustBeReachable: routes that nobody would reach stop the start.
func TestRoutesMustBeReachable(t *testing.T) {
	for _, c := range []struct {
		route, docroot, says string
	}{
		{"/iiif/3", "", "is a mount"},
		{"/iiif/2/x", "", "is a mount"},
		{"/internal/pictures/", "", "is a mount"},
		{"/livez", "", "the server's own"},
		{"/viewer/x", "", "the server's own"},
		{"/robots.txt", "", "the server's own"},
		{"/server/", "/server", "docroot-route is the same"},
		{"/", "/", "docroot-route is the same"},
		{"/x", "/iiif/3", "is a mount"},
		{"/x", "/readyz", "the server's own"},
		{"/iiif", "", ""},
		{"/server/deep", "/server", ""},
	} {
		p := setup{dir: t.TempDir(), scripts: map[string]string{"x.lua": ""}, routes: []lua.Route{{Method: "GET", Path: c.route, Script: "x.lua"}}}
		if c.docroot != "" {
			p.docroot = map[string]string{"x": "x"}
			p.docrootRoute = c.docroot
		}
		p.hostile = func(err error) {
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("route %s, docroot %s: %v", c.route, c.docroot, err)
			}
		}
		build(t, p)
	}
}

func TestDocroot(t *testing.T) {
	for _, route := range []string{"/server", "/"} {
		st := open(t, setup{
			dir: cases(t), docrootRoute: route, scripts: map[string]string{},
			docroot: map[string]string{
				"index.html": "<p>home", "a.css": strings.Repeat("a{} ", 1000), "page.elua": "<b><lua>server.print(1 + 1)</lua></b>",
				"run.lua": "server.print(server.method, tostring(server.docroot ~= nil), server.content or '')", "sub/x.txt": "x", ".hidden": "no",
			},
		})
		base := strings.TrimSuffix(route, "/")
		for path, want := range map[string]struct {
			status int
			body   string
		}{
			"/": {200, "<p>home"}, "/page.elua": {200, "<b>2</b>"}, "/run.lua": {200, "GETtrue"}, "/sub/x.txt": {200, "x"},
			"/sub": {404, ""}, "/none": {404, ""}, "/.hidden": {404, ""}, "/..%2f..%2fetc%2fpasswd": {404, ""}, "/sub/../a.css": {404, ""}, "/a%00.css": {400, ""},
		} {
			a := st.get(t, base+path)
			if a.StatusCode != want.status || want.body != "" && string(a.body) != want.body {
				t.Errorf("%s%s: %d %.100s", base, path, a.StatusCode, a.body)
			}
			if a.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: no CORS", path)
			}
		}
		if a := st.get(t, base+"/a.css", "Accept-Encoding: gzip"); a.Header.Get("Content-Encoding") != "gzip" || a.Header.Get("ETag") == "" {
			t.Errorf("%v", a.Header)
		}
		if a := st.get(t, base+"/a.css", "Range: bytes=0-3"); a.StatusCode != http.StatusPartialContent || string(a.body) != "a{} " {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
		if a := st.post(t, base+"/run.lua", "text/plain", strings.NewReader("!")); string(a.body) != "POSTtrue!" {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
		if a := st.post(t, base+"/sub/x.txt", "text/plain", strings.NewReader("!")); a.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST to a file: %d", a.StatusCode)
		}
		// At / it stands in the landing page's place, and in no other's.
		if a := st.get(t, "/"); (string(a.body) == "<p>home") != (route == "/") {
			t.Errorf("docroot at %s: / is %.60s", route, a.body)
		}
		for path, want := range map[string]int{"/livez": 200, "/viewer/?id=I": 200, "/robots.txt": 200, "/iiif/3/I/info.json": 200} {
			if a := st.get(t, path); a.StatusCode != want {
				t.Errorf("docroot at %s: %s is %d", route, path, a.StatusCode)
			}
		}
		st.idle(t)
	}
}

// TestBodies: bodies are bounded in size and time before anything is admitted.
func TestBodies(t *testing.T) {
	st := open(t, setup{
		dir: cases(t), scripts: map[string]string{"echo.lua": "server.print(#(server.content or ''))"}, routes: routesTo("echo.lua"),
		set:    map[string]string{"max-post-size": "1MiB", "body-read-timeout": "200ms"},
		adjust: func(c *server.Config) { c.BodyReadTimeout = 100 * time.Millisecond },
	})
	if a := st.post(t, "/echo", "text/plain", bytes.NewReader(make([]byte, 1<<20))); string(a.body) != "1048576" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := st.post(t, "/echo", "text/plain", bytes.NewReader(make([]byte, 1<<20+1))); a.err == nil && a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d %s", a.StatusCode, a.body)
	}
	slow := st.client(t)
	if _, err := fmt.Fprint(slow, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	if a := slow.read(t); a.err != nil || a.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(a.body), "body_timeout") {
		t.Errorf("a slow body: %v %s", a.err, a.body)
	}
	// A server that takes no more work does not read bodies first.
	st.admission.Drain()
	c := st.client(t)
	if _, err := fmt.Fprint(c, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if a := c.read(t); a.err != nil || a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "draining") {
		t.Errorf("while draining: %v %s", a.err, a.body)
	}
	st.idle(t)
}

// TestSlowScriptsHoldNoTiles: with every full permit held by scripts that
// wait, the next is told to come back, and tiles and info.json answer.
func TestSlowScriptsHoldNoTiles(t *testing.T) {
	begun, release := make(chan struct{}, 8), make(chan struct{})
	stalled := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer stalled.Close()
	st := open(t, setup{
		dir:     cases(t),
		scripts: map[string]string{"slow.lua": `server.print(tostring(server.http('GET', '` + stalled.URL + `', {}, 29000)))`},
		routes:  routesTo("slow.lua"),
		set: map[string]string{
			"nthreads": "4", "queue-timeout-full": "1s", "lua-timeout": "30s", "lua-http-allow": "127.0.0.1", "lua-slots": "4",
		},
	})
	if th := st.admission.Snapshot().Threads; th.FullMax != 2 {
		t.Fatalf("%+v", th)
	}
	slow := make(chan answer, 2)
	for range 2 {
		go func() { slow <- st.get(t, "/slow") }()
		receive(t, "a script to begin", begun)
	}
	third := make(chan answer, 1)
	go func() { third <- st.get(t, "/slow") }()
	for i := range 40 {
		x := i * 20
		if a := st.get(t, fmt.Sprintf("/iiif/3/I/%d,0,64,64/64,64/0/default.jpg", x)); a.StatusCode != http.StatusOK {
			t.Errorf("tile %d: %d %s", i, a.StatusCode, a.body)
		}
		if a := st.get(t, "/iiif/3/I/info.json"); a.StatusCode != http.StatusOK {
			t.Errorf("info.json: %d", a.StatusCode)
		}
	}
	if a := receive(t, "the third script's refusal", third); a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "queue_timeout") {
		t.Errorf("the third: %d %v %s", a.StatusCode, a.Header, a.body)
	}
	if th := st.admission.Snapshot().Threads; th.FullInUse != 2 {
		t.Errorf("%+v", th)
	}
	close(release)
	for range 2 {
		if a := receive(t, "a slow script's end", slow); a.StatusCode != http.StatusOK || string(a.body) != "true" {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
	st.idle(t)
}

// TestScriptImagesAreCharged: what a script's image is charged is what an
// estimate says, the snapshot shows it, and it comes back however it ends.
func TestScriptImagesAreCharged(t *testing.T) {
	begun, proceed := make(chan struct{}, 1), make(chan error, 1)
	f := &fake{render: func(ctx context.Context, _ source.Object, _ plan.Plan, w io.Writer) error {
		begun <- struct{}{}
		select {
		case err := <-proceed:
			_, _ = io.WriteString(w, "pixels")
			return err
		case <-ctx.Done():
			return plan.NewFailure(plan.Killed, "", context.Cause(ctx))
		}
	}}
	st := open(t, setup{
		dir: cases(t), decoder: f.around, set: map[string]string{"lua-timeout": "20s"},
		scripts: map[string]string{
			"price.lua": `local ok, e = iiifd.estimate(config.imgroot .. '/I', 'full/500,/0/default.png') server.print(ok and e.peak_bytes or e)`,
			"image.lua": `local ok, img = SipiImage.new(config.imgroot .. '/I') img:scale('500,') local ok, why = img:send('png') if not ok then server.sendStatus(502) server.print(why) end`,
		},
		routes: routesTo("price.lua", "image.lua"),
	})
	var price int64
	if a := st.get(t, "/price"); json.Unmarshal(a.body, &price) != nil || price < 1<<20 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	for _, c := range []struct {
		how    string
		end    func(cancel context.CancelFunc)
		status int
	}{
		{"well", func(context.CancelFunc) { proceed <- nil }, 200},
		{"with an error", func(context.CancelFunc) { proceed <- plan.NewFailure(plan.Corrupt, "x", nil) }, 0},
		{"without its client", func(cancel context.CancelFunc) { cancel() }, 0},
		{"by the operator", func(context.CancelFunc) {
			for _, d := range st.admission.Decodes() {
				st.admission.Cancel(d.ID)
			}
		}, 0},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan answer, 1)
		client := direct(nil)
		go func() { done <- askContext(ctx, t, client, http.MethodGet, st.url, "/image") }()
		receive(t, "the image", begun)
		s := st.admission.Snapshot()
		if s.Budget.InUseBytes != price || s.Threads.FullInUse != 1 {
			t.Errorf("%s: %d bytes charged, the estimate is %d; %+v", c.how, s.Budget.InUseBytes, price, s.Threads)
		}
		c.end(cancel)
		a := receive(t, "the answer", done)
		if c.status == 200 && (a.err != nil || a.StatusCode != http.StatusOK || string(a.body) != "pixels") {
			t.Errorf("%s: %v %v", c.how, a.err, a.Response)
		}
		if c.status == 0 && a.err == nil && a.StatusCode == http.StatusOK {
			t.Errorf("%s: looks whole: %s", c.how, a.body)
		}
		cancel()
		client.CloseIdleConnections()
		st.idle(t)
	}
}

// TestScriptImagesAreSkipped where their price does not fit; the script goes
// on.
func TestScriptImagesAreSkipped(t *testing.T) {
	f := &fake{render: func(context.Context, source.Object, plan.Plan, io.Writer) error {
		t.Error("rendered without room")
		return nil
	}}
	st := open(t, setup{
		dir: cases(t), decoder: f.around,
		scripts: map[string]string{"image.lua": `local ok, img = SipiImage.new(config.imgroot .. '/I') img:scale('^16000,12800') local ok, why = img:send('webp') server.print(tostring(ok), ' ', tostring(why))`},
		routes:  routesTo("image.lua"),
		set:     map[string]string{"nthreads": "2", "memory-limit": "512MiB"},
	})
	if a := st.get(t, "/image"); string(a.body) != "false admission_skipped" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if s := st.admission.Snapshot(); s.Fanout.Skipped != 1 {
		t.Errorf("%+v", s.Fanout)
	}
	st.idle(t)
}
