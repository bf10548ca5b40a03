//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// relay passes connections on to another address and counts them.
type relay struct {
	net.Listener
	count atomic.Int64
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.count.Add(1)
			go pass(c, to)
		}
	}()
	return r
}

func pass(c net.Conn, to string) {
	defer c.Close()
	d, err := new(net.Dialer).DialContext(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	defer d.Close()
	go func() {
		_, _ = io.Copy(d, c)
		_ = d.Close()
	}()
	_, _ = io.Copy(c, d)
}

// nginx starts nginx with the example of the documentation in front of a
// server and returns its host:port.
func nginx(t *testing.T, backend string) string {
	t.Helper()
	example, err := os.ReadFile(filepath.Join(root(t), "docs", "examples", "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	conf := string(example)
	for _, change := range [][2]string{
		{"worker_processes auto;", "worker_processes 1;\ndaemon off;\npid " + dir + "/pid;"},
		{"server 127.0.0.1:8182;", "server " + backend + ";"},
		{"listen 80;", "listen " + front + ";"},
		{"http {", "http {\naccess_log off;\nclient_body_temp_path " + dir + "/body;\nproxy_temp_path " + dir + "/proxy;\n" +
			"fastcgi_temp_path " + dir + "/fastcgi;\nuwsgi_temp_path " + dir + "/uwsgi;\nscgi_temp_path " + dir + "/scgi;"},
	} {
		if !strings.Contains(conf, change[0]) {
			t.Fatalf("the example has no %q", change[0])
		}
		conf = strings.Replace(conf, change[0], change[1], 1)
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	binary, err := exec.LookPath("nginx")
	if err != nil {
		binary = "/usr/sbin/nginx" // Not in everybody's PATH.
	}
	p := launch(t, binary, "-p", dir, "-e", "stderr", "-c", file)
	p.await(t, "nginx", func() bool { return status(t, "http://"+front+"/livez") == http.StatusOK })
	return front
}

// ask sends a path as it stands under a name of our own.
func ask(t *testing.T, host, method, path string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+host, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = path
	req.Host = "images.example.org"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return resp, body
}

// collection is a folder with names that proxies like to change.
func collection(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	names = []string{"plain.png", "sub/inner.png", "a%2Fb.png", "pl+us.png", "sp ace.png", "ark:/12025/654xz321.png", "grün.png", "a..b.png", "semi;colon.png"}
	m := image.NewNRGBA(image.Rect(0, 0, 60, 40))
	m.SetNRGBA(0, 0, color.NRGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, names
}

// encoded is an identifier as clients send it.
var encoded = strings.NewReplacer("%", "%25", "/", "%2F", " ", "%20", "ü", "%C3%BC", ";", "%3B", "+", "%2B")

// TestNginx puts nginx in front, under the server's own path and under
// another one: identifiers arrive as they were sent, and the id, the
// redirect and the canonical link all have the address that the client used.
func TestNginx(t *testing.T) {
	dir, names := collection(t)
	backend, _ := serve(t, dir, "--trusted-proxies", "127.0.0.1")
	between := newRelay(t, backend)
	front := nginx(t, between.Addr().String())
	started := between.count.Load()
	requests := 0
	get := func(path string, headers ...string) (*http.Response, []byte) {
		requests++
		return ask(t, front, http.MethodGet, path, append(headers, "X-Forwarded-Host: evil.example", "X-Forwarded-Prefix: /evil", "X-Forwarded-Port: 1")...)
	}
	for _, prefix := range []string{"", "/library"} {
		for _, version := range []string{"3", "2"} {
			for _, name := range names {
				path := prefix + "/iiif/" + version + "/" + encoded.Replace(name)
				id := "http://images.example.org" + path
				resp, body := get(path + "/info.json")
				var info map[string]any
				if err := json.Unmarshal(body, &info); err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("%s: %d %s", path, resp.StatusCode, body)
					continue
				}
				if info["id"] != id && info["@id"] != id {
					t.Errorf("%s: id %v%v", path, info["id"], info["@id"])
				}
				resp, _ = get(path)
				if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != id+"/info.json" {
					t.Errorf("%s: %d to %q", path, resp.StatusCode, got)
				}
				resp, body = get(path + "/full/30,/0/default.jpg")
				if cfg, _, err := image.DecodeConfig(bytes.NewReader(body)); err != nil || cfg.Width != 30 || cfg.Height != 20 {
					t.Errorf("%s: image: %d %v", path, resp.StatusCode, err)
				}
				if got := resp.Header.Get("Link"); !strings.HasPrefix(got, "<"+id+"/full/30,") {
					t.Errorf("%s: Link %q", path, got)
				}
				if resp.Header.Get("Access-Control-Allow-Origin") != "*" || resp.Header.Get("ETag") == "" || resp.ContentLength < 0 {
					t.Errorf("%s: %v", path, resp.Header)
				}
				if resp, _ := get(path+"/full/30,/0/default.jpg", "If-None-Match: "+resp.Header.Get("ETag")); resp.StatusCode != http.StatusNotModified {
					t.Errorf("%s: asked again: %d", path, resp.StatusCode)
				}
			}
		}
	}
	// Parameters keep their encoding, ranges pass, errors stay whole.
	if resp, _ := get("/library/iiif/3/plain.png/full/%5E120,/0/default.jpg"); resp.StatusCode != http.StatusOK {
		t.Errorf("an encoded caret: %d", resp.StatusCode)
	}
	if resp, body := get("/library/iiif/3/plain.png/file", "Range: bytes=1-3"); resp.StatusCode != http.StatusPartialContent || string(body) != "PNG" {
		t.Errorf("a range: %d %q", resp.StatusCode, body)
	}
	for _, path := range []string{"/library/iiif/3/none.png/info.json", "/iiif/3/..%2F..%2Fetc%2Fpasswd/file"} {
		resp, body := get(path)
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusBadRequest || bytes.Contains(body, []byte("root:")) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	if n := between.count.Load() - started; n > 2 {
		t.Errorf("%d connections for %d requests: they are not kept open", n, requests)
	}
}

// TestNginxLeftOut shows that the same headers are nobody's when the proxy
// is not trusted.
func TestNginxLeftOut(t *testing.T) {
	dir, _ := collection(t)
	backend, _ := serve(t, dir)
	front := nginx(t, backend)
	_, body := ask(t, front, http.MethodGet, "/library/iiif/3/plain.png/info.json")
	if !bytes.Contains(body, []byte(`"http://images.example.org/iiif/3/plain.png"`)) {
		t.Errorf("%s", body)
	}
}
