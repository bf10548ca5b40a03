package server_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented are the keys of an access log line and whether each line has
// them.
var documented = map[string]bool{
	"time": true, "level": true, "msg": true, "request_id": true, "method": true, "path": true, "proto": true, "status": true, "bytes": true,
	"duration_ms": true, "code": false, "reset": false, "cause": false, "user_agent": false, "cache": false,
	"lane": false, "lane_url": false, "lane_engine": false, "estimate_bytes": false, "wait_ms": false,
}

// TestAccessLog shows that each request leaves one line, that it is JSON
// with the documented keys, and that it tells nothing of who asked: no
// address, no query, no credentials.
// TestProbesAreQuiet: what asks several times a minute fills no log.
func TestProbesAreQuiet(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	c := direct(nil)
	defer c.CloseIdleConnections()
	for _, path := range []string{"/livez", "/readyz", "/healthz", "/robots.txt"} {
		if a := ask(t, c, "GET", st.url, path); a.err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(path, a.err)
		}
	}
	if line, values := st.access.next(t); values["path"] != "/robots.txt" {
		t.Errorf("a probe was logged: %s", line)
	}
}

func TestAccessLog(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	c := direct(nil)
	defer c.CloseIdleConnections()
	for _, r := range []struct {
		method, path string
		status       float64
		code         string
	}{
		{"GET", "/iiif/3/I/full/100,/0/default.jpg?token=secret", 200, ""},
		{"HEAD", "/iiif/3/I/full/100,/0/default.jpg", 200, ""},
		{"GET", "/iiif/3/sub%2Finner.png/info.json", 200, ""},
		{"GET", "/iiif/3/I", 303, ""},
		{"GET", "/iiif/3/text.txt/file", 200, ""},
		{"GET", "/iiif/3/I/full/max/0/default.xyz", 400, "format_unsupported"},
		{"GET", "/iiif/3/none/info.json", 404, "not_found"},
		{"POST", "/iiif/3/I/info.json", 405, "method_not_allowed"},
		{"OPTIONS", "/iiif/3/I/info.json", 204, ""},
		{"GET", "/iiif/3/cut.png/full/max/0/default.png", 500, "source_corrupt"},
		{"GET", "/iiif/3/quote%22%3Cb%3E.png/info.json", 200, ""},
		{"GET", "/iiif/3/a%0D%0A%7B%22level%22/info.json", 0, ""},
		{"GET", "/", 200, ""},
		{"GET", "/nothing", 404, "not_found"},
		{"GET", "/robots.txt", 200, ""},
	} {
		a := ask(t, c, r.method, st.url, r.path, "Authorization: Bearer secret", "Cookie: session=secret", "X-Forwarded-For: 192.0.2.77", "Referer: https://secret.example/")
		if a.err != nil {
			t.Fatal(a.err)
		}
		line, values := st.access.next(t)
		for key := range values {
			if _, known := documented[key]; !known {
				t.Errorf("key %q is not documented: %s", key, line)
			}
		}
		for key, always := range documented {
			if _, there := values[key]; always && !there {
				t.Errorf("no %q in %s", key, line)
			}
		}
		if strings.Contains(line, "127.0.0.1") || strings.Contains(line, "192.0.2.77") || strings.Contains(line, "secret") {
			t.Errorf("tells too much: %s", line)
		}
		path, _, _ := strings.Cut(r.path, "?")
		if values["path"] != path || values["method"] != r.method || values["request_id"] != a.Header.Get("X-Request-Id") || values["status"] != float64(a.StatusCode) || values["bytes"] != float64(len(a.body)) {
			t.Errorf("%s %s: %d, %d bytes, logged %s", r.method, r.path, a.StatusCode, len(a.body), line)
		}
		if r.status != 0 && values["status"] != r.status {
			t.Errorf("%s: status %v, want %v", r.path, values["status"], r.status)
		}
		if code, _ := values["code"].(string); r.status != 0 && code != r.code {
			t.Errorf("%s: code %q, want %q", r.path, code, r.code)
		}
		if a.StatusCode == http.StatusInternalServerError && values["cause"] == nil {
			t.Errorf("no cause: %s", line)
		}
	}
	if n := len(st.access.lines); n > 0 {
		t.Errorf("%d lines too many", n)
	}
}

// TestRequestIDs shows that ids are made, differ, and come from a trusted
// proxy only in a form that can stand in headers and logs.
func TestRequestIDs(t *testing.T) {
	st := open(t, setup{dir: cases(t), set: map[string]string{"trusted-proxies": "127.0.0.0/8"}})
	made := regexp.MustCompile(`^[0-9a-f]{16}$`)
	seen := map[string]bool{}
	for range 20 {
		seen[st.get(t, "/livez").Header.Get("X-Request-Id")] = true
	}
	if len(seen) != 20 || !made.MatchString(slices.Collect(maps.Keys(seen))[0]) {
		t.Errorf("ids %v", seen)
	}
	for sent, taken := range map[string]bool{
		"7f3e-AB:12/x=": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false, "": false,
		"a b": false, "a\tb": false, "b\xfccher": false,
	} {
		if got := st.get(t, "/livez", "X-Request-Id: "+sent).Header.Get("X-Request-Id"); (got == sent) != taken || (!taken && !made.MatchString(got)) {
			t.Errorf("%q became %q", sent, got)
		}
	}
}

// TestNoDecodeFor shows that what needs no picture decodes none: HEAD,
// answers that have not changed, redirects, documents, originals, refusals
// (R147 R151).
func TestNoDecodeFor(t *testing.T) {
	d := &fake{}
	st := open(t, setup{dir: cases(t), decoder: d.around})
	const image = "/iiif/3/I/full/100,/0/default.jpg"
	c := direct(nil)
	defer c.CloseIdleConnections()
	head := ask(t, c, http.MethodHead, st.url, image)
	if head.err != nil || head.StatusCode != http.StatusOK || head.Header.Get("ETag") == "" || len(head.body) > 0 {
		t.Fatalf("%v %v", head.err, head.Response)
	}
	tag := head.Header.Get("ETag")
	for _, r := range []struct {
		method, path string
		status       int
		header       string
	}{
		{"HEAD", image, 200, "Accept: */*"},
		{"GET", image, 304, "If-None-Match: " + tag},
		{"GET", image, 304, `If-None-Match: "x", W/` + tag + `, "y"`},
		{"HEAD", image, 304, "If-None-Match: " + tag},
		{"GET", image, 304, "If-Modified-Since: " + head.Header.Get("Last-Modified")},
		{"GET", "/iiif/3/I/info.json", 200, "Accept: */*"},
		{"GET", "/iiif/3/I", 303, "Accept: */*"},
		{"GET", "/iiif/3/I/file", 200, "Accept: */*"},
		{"HEAD", "/iiif/3/I/file", 200, "Accept: */*"},
		{"GET", "/iiif/3/I/knora.json", 200, "Accept: */*"},
		{"GET", "/iiif/3/I/full/1001,/0/default.jpg", 400, "Accept: */*"},
		{"OPTIONS", image, 204, "Accept: */*"},
		{"POST", image, 405, "Accept: */*"},
	} {
		a := ask(t, c, r.method, st.url, r.path, r.header)
		if a.err != nil || a.StatusCode != r.status {
			t.Errorf("%s %s %s: %v %v", r.method, r.path, r.header, a.err, a.Response)
		}
		if r.status == http.StatusNotModified && (len(a.body) > 0 || a.Header.Get("ETag") != tag || a.Header.Get("Cache-Control") == "" || a.Header.Get("Access-Control-Allow-Origin") != "*") {
			t.Errorf("%s %s: %q %v", r.method, r.header, a.body, a.Header)
		}
		if n := d.renders.Load(); n != 0 {
			t.Fatalf("%s %s decoded", r.method, r.path)
		}
	}
	if a := st.get(t, image); a.StatusCode != http.StatusOK || d.renders.Load() != 1 {
		t.Errorf("GET: %d, %d decodes: this test sees nothing", a.StatusCode, d.renders.Load())
	}
	if n := d.shapes.Load(); n != 1 {
		t.Errorf("the header was read %d times", n)
	}
}

// TestCORS shows the headers that let any page read an answer, on each
// status (R148).
func TestCORS(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	c := direct(nil)
	defer c.CloseIdleConnections()
	for _, r := range []struct {
		method, path, header string
		status               int
	}{
		{"GET", "/iiif/3/I/info.json", "Accept: */*", 200},
		{"GET", "/iiif/3/text.txt/file", "Range: bytes=0-1", 206},
		{"GET", "/iiif/3/I", "Accept: */*", 303},
		{"GET", "/iiif/3/I/info.json", "If-None-Match: *", 304},
		{"GET", "/iiif/3/I/x/y/z/a.jpg", "Accept: */*", 400},
		{"GET", "/iiif/3/none/info.json", "Accept: */*", 404},
		{"PUT", "/iiif/3/I/info.json", "Accept: */*", 405},
		{"GET", "/iiif/3/text.txt/file", "Range: bytes=99-", 416},
		{"GET", "/iiif/3/cut.png/full/max/0/default.png", "Accept: */*", 500},
		{"GET", "/iiif/3/text.txt/info.json", "Accept: */*", 501},
	} {
		a := ask(t, c, r.method, st.url, r.path, r.header, "Origin: https://viewer.example")
		if a.err != nil {
			t.Fatal(a.err)
		}
		if a.StatusCode != r.status {
			t.Errorf("%s %s: %d", r.method, r.path, a.StatusCode)
		}
		if a.Header.Get("Access-Control-Allow-Origin") != "*" || a.Header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
			t.Errorf("%s %s: %v", r.method, r.path, a.Header)
		}
		if r.status >= 400 && r.method != http.MethodHead && !strings.Contains(string(a.body), `"code":"`) {
			t.Errorf("%s %s: %s", r.method, r.path, a.body)
		}
	}
}

// TestDownloadNames shows what a browser would save a file as, whatever the
// address asks for (R25).
func TestDownloadNames(t *testing.T) {
	dir := cases(t)
	st := open(t, setup{dir: dir})
	for query, want := range map[string]string{
		"?download":                                  `attachment; filename=inner_full_max_0_default.png`,
		"?download=":                                 `attachment; filename=inner_full_max_0_default.png`,
		"?download=map":                              `attachment; filename=map.png`,
		"?download=map.PNG":                          `attachment; filename=map.PNG`,
		"?download=map.exe":                          `attachment; filename=map.exe.png`,
		"?download=..%2F..%2Fetc%2Fpasswd":           `attachment; filename=_.._etc_passwd.png`,
		"?download=a%0D%0AX-Evil:%20yes":             `attachment; filename="a__X-Evil_ yes.png"`,
		"?download=%22%3B%20filename=evil.exe":       `attachment; filename="_; filename=evil.exe.png"`,
		"?download=caf%C3%A9":                        `attachment; filename*=utf-8''caf%C3%A9.png`,
		"?download=%FF%FE":                           "",
		"?download=" + strings.Repeat("x", 300):      "",
		"?download=" + strings.Repeat("%C3%A9", 150): "",
	} {
		a := st.get(t, "/iiif/3/sub%2Finner.png/full/max/0/default.png"+query)
		got := a.Header.Get("Content-Disposition")
		if a.StatusCode != http.StatusOK || a.Header.Get("X-Evil") != "" || !strings.HasPrefix(got, "attachment; filename") || len(got) > 1000 {
			t.Errorf("%s: %d %q", query, a.StatusCode, got)
		}
		if want != "" && got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		if want == "" && !strings.HasSuffix(strings.TrimSuffix(got, `"`), ".png") {
			t.Errorf("%s: the ending is lost: %q", query, got)
		}
	}
	long := strings.Repeat("n", 240)
	if err := os.Link(filepath.Join(dir, "sub/inner.png"), filepath.Join(dir, long+".png")); err != nil {
		t.Fatal(err)
	}
	if got := st.get(t, "/iiif/3/"+long+".png/full/max/0/default.jpg?download").Header.Get("Content-Disposition"); !strings.HasSuffix(got, "_full_max_0_default.jpg") {
		t.Errorf("a long name: %q", got)
	}
	if a := st.get(t, "/iiif/3/sub%2Finner.png/full/max/0/default.png"); a.Header.Get("Content-Disposition") != "" {
		t.Errorf("without download: %q", a.Header.Get("Content-Disposition"))
	}
}
