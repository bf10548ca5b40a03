package docroot

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var text = strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 200)

// static serves a docroot as a server would, without Lua.
func static(t *testing.T) (string, *httptest.Server) {
	t.Helper()
	_, docroot := tree(t)
	write(t, filepath.Join(docroot, "big.css"), text)
	write(t, filepath.Join(docroot, "big.bin"), text)
	r := newRoot(t, docroot, "/server")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		f, _ := r.Lookup(req.URL.EscapedPath())
		f.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	return docroot, s
}

// ask sends one request as it is: no redirect is followed, no gzip undone.
func ask(t *testing.T, s *httptest.Server, method, path string, header ...string) (reply, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, res.ContentLength}, body
}

// reply is the head of an answer.
type reply struct {
	StatusCode    int
	Header        http.Header
	ContentLength int64
}

func unpack(t *testing.T, body []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestStaticFile(t *testing.T) {
	docroot, s := static(t)
	changed := time.Date(2024, 5, 6, 7, 8, 9, 123, time.UTC)
	if err := os.Chtimes(filepath.Join(docroot, "big.css"), changed, changed); err != nil {
		t.Fatal(err)
	}
	res, body := ask(t, s, "GET", "/server/big.css")
	if res.StatusCode != http.StatusOK || string(body) != text {
		t.Fatalf("status %d, %d bytes", res.StatusCode, len(body))
	}
	for key, want := range map[string]string{
		"Content-Type": "text/css; charset=utf-8", "Last-Modified": "Mon, 06 May 2024 07:08:09 GMT", "Cache-Control": "no-cache",
		"X-Content-Type-Options": "nosniff", "Accept-Ranges": "bytes", "Vary": "Accept-Encoding", "Content-Length": strconv.Itoa(len(text)),
	} {
		if got := res.Header.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	tag := res.Header.Get("ETag")
	for header, value := range map[string]string{"If-None-Match": tag, "If-Modified-Since": res.Header.Get("Last-Modified")} {
		if res, body := ask(t, s, "GET", "/server/big.css", header, value); res.StatusCode != http.StatusNotModified || len(body) > 0 {
			t.Errorf("%s gives %d", header, res.StatusCode)
		}
	}
	later := changed.Add(time.Nanosecond)
	if err := os.Chtimes(filepath.Join(docroot, "big.css"), later, later); err != nil {
		t.Fatal(err)
	}
	if res, _ := ask(t, s, "GET", "/server/big.css", "If-None-Match", tag); res.StatusCode != http.StatusOK || res.Header.Get("ETag") == tag {
		t.Errorf("a change of a nanosecond is not seen: %d", res.StatusCode)
	}
	if res, body := ask(t, s, "HEAD", "/server/big.css"); res.StatusCode != http.StatusOK || len(body) > 0 || res.ContentLength != int64(len(text)) {
		t.Errorf("HEAD gives %d and a length of %d", res.StatusCode, res.ContentLength)
	}
}

func TestStaticRange(t *testing.T) {
	_, s := static(t)
	full, _ := ask(t, s, "GET", "/server/big.css")
	for _, c := range []struct {
		value  string
		status int
		body   string
	}{
		{"bytes=4-8", 206, text[4:9]},
		{"bytes=-5", 206, text[len(text)-5:]},
		{fmt.Sprintf("bytes=%d-", len(text)), 416, ""},
		{"bytes=-0", 416, ""},
	} {
		res, body := ask(t, s, "GET", "/server/big.css", "Range", c.value, "Accept-Encoding", "gzip")
		if res.StatusCode != c.status || (c.status == http.StatusPartialContent && string(body) != c.body) {
			t.Errorf("%s gives %d %q", c.value, res.StatusCode, body)
		}
		if res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", c.value)
		}
	}
	if res, _ := ask(t, s, "GET", "/server/big.css", "Range", "bytes=4-8", "If-Range", full.Header.Get("ETag")); res.StatusCode != http.StatusPartialContent {
		t.Errorf("If-Range with the right tag gives %d", res.StatusCode)
	}
	if res, _ := ask(t, s, "GET", "/server/big.css", "Range", "bytes=4-8", "If-Range", `"other"`); res.StatusCode != http.StatusOK {
		t.Errorf("If-Range with another tag gives %d", res.StatusCode)
	}
}

func TestStaticGzip(t *testing.T) {
	_, s := static(t)
	plain, _ := ask(t, s, "GET", "/server/big.css")
	res, body := ask(t, s, "GET", "/server/big.css", "Accept-Encoding", "br, gzip;q=0.5")
	if res.Header.Get("Content-Encoding") != "gzip" || len(body) >= len(text) || unpack(t, body) != text {
		t.Fatalf("%q, %d bytes", res.Header.Get("Content-Encoding"), len(body))
	}
	tag := res.Header.Get("ETag")
	if tag == plain.Header.Get("ETag") || res.Header.Get("Accept-Ranges") != "" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("head of the compressed form: %v", res.Header)
	}
	if res, body := ask(t, s, "GET", "/server/big.css", "Accept-Encoding", "gzip", "If-None-Match", tag); res.StatusCode != http.StatusNotModified || len(body) > 0 || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("its own tag gives %d %v", res.StatusCode, res.Header)
	}
	if res, body := ask(t, s, "HEAD", "/server/big.css", "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "gzip" || res.ContentLength > 0 || len(body) > 0 {
		t.Errorf("HEAD: %v", res.Header)
	}
	for _, c := range [][2]string{
		{"/server/big.css", ""},
		{"/server/big.css", "br"},
		{"/server/big.css", "gzip;q=0"},
		{"/server/big.css", "*, gzip;q=0.0"},
		{"/server/big.bin", "gzip"},
		{"/server/a.txt", "gzip"},
	} {
		if res, _ := ask(t, s, "GET", c[0], "Accept-Encoding", c[1]); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed for %q", c[0], c[1])
		}
	}
	if res, _ := ask(t, s, "GET", "/server/big.css", "Accept-Encoding", "*"); res.Header.Get("Content-Encoding") != "gzip" {
		t.Error("* does not include gzip")
	}
}

// Half a compressed file must not end like a whole one.
func TestGzipOfShrinkingFileAborts(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		g := &gzipWriter{ResponseWriter: w, pool: newGzipPool()}
		defer g.finish()
		g.Header().Set("Content-Length", "100")
		_, _ = g.Write([]byte("only this"))
	}))
	defer s.Close()
	res, err := http.Get(s.URL) //nolint:noctx // the server of this test
	if err != nil {
		return
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the answer ends properly")
	}
}

func TestScriptsAreNeverText(t *testing.T) {
	docroot, s := static(t)
	write(t, filepath.Join(docroot, "x.lua"), "secret")
	write(t, filepath.Join(docroot, "x.elua"), "secret")
	for _, path := range []string{"/server/x.lua", "/server/x.elua", "/server/lua/", "/server/scripts/", "/server/absent"} {
		res, body := ask(t, s, "GET", path)
		if res.StatusCode != http.StatusNotFound || bytes.Contains(body, []byte("secret")) || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s gives %d %s", path, res.StatusCode, body)
		}
	}
}

func TestDirectoryRedirects(t *testing.T) {
	_, s := static(t)
	for path, want := range map[string]string{"/server": "./server/", "/server/both": "./both/", "/server/scripts?a=b": "./scripts/?a=b"} {
		res, _ := ask(t, s, "GET", path)
		if res.StatusCode != http.StatusPermanentRedirect || res.Header.Get("Location") != want {
			t.Errorf("%s gives %d to %q", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
}

func TestStaticMethods(t *testing.T) {
	_, s := static(t)
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if res, _ := ask(t, s, method, "/server/a.txt"); res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s gives %d", method, res.StatusCode)
		}
	}
}

// What Lookup found may be something else by the time it is opened.
func TestOpenAfterAChange(t *testing.T) {
	_, docroot := tree(t)
	r := newRoot(t, docroot, "/")
	for name, replace := range map[string]func(string) error{
		"a.txt":  func(name string) error { return syscall.Mkfifo(name, 0o644) },
		"ü.txt":  func(name string) error { return os.Mkdir(name, 0o755) },
		"x.lua":  func(name string) error { return os.Symlink("../secret.txt", name) },
		"x.elua": func(string) error { return nil },
	} {
		f, kind := r.Lookup("/" + name)
		if kind == KindNone {
			t.Fatalf("%s is not found", name)
		}
		full := filepath.Join(docroot, name)
		if err := os.Remove(full); err != nil {
			t.Fatal(err)
		}
		if err := replace(full); err != nil {
			t.Fatal(err)
		}
		if file, err := f.Open(); err == nil {
			file.Close()
			t.Errorf("%s can still be opened", name)
		}
	}
}

func TestMediaType(t *testing.T) {
	for name, want := range map[string]string{
		"a.HTML": "text/html; charset=utf-8", "a.mjs": "text/javascript; charset=utf-8", "manifest.json": "application/json",
		"a.svg": "image/svg+xml", "a": "application/octet-stream", "a.unknown": "application/octet-stream", "a.tar.gz": "application/gzip",
	} {
		if got := mediaType(name); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	for media, want := range map[string]bool{"text/css; charset=utf-8": true, "image/svg+xml": true, "application/ld+json": true, "image/jpeg": false, "application/zip": false} {
		if isText(media) != want {
			t.Errorf("isText(%s) is %v", media, !want)
		}
	}
}
