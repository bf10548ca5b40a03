package lua

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func readRequest(t *testing.T, method, target, contentType, body string) (*Request, func(), error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	r.Header.Add("X-Many", "1")
	r.Header.Add("X-Many", "2")
	return ReadRequest(r, BodyLimits{Max: 2000, Content: 1000, TempDir: t.TempDir()})
}

const multipartBody = "--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nBild\r\n" +
	"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.tif\"\r\nContent-Type: image/tiff\r\n\r\nII*\x00data\r\n--B--\r\n"

func TestReadRequest(t *testing.T) {
	req, cleanup, err := readRequest(t, "POST", "/up%20load?a=1&b=x%20y&a=2&bad=%zz", "multipart/form-data; boundary=B", multipartBody)
	if err != nil {
		t.Fatal(err)
	}
	if req.URI != "/up%20load" || len(req.Query) != 3 || req.Query[1] != (Pair{"b", "x y"}) || len(req.Header["x-many"]) != 2 {
		t.Errorf("%+v", req)
	}
	if len(req.Form) != 1 || req.Form[0] != (Pair{"title", "Bild"}) || len(req.Uploads) != 1 {
		t.Fatalf("%+v", req)
	}
	u := req.Uploads[0]
	if u.FieldName != "file" || u.OrigName != "a.tif" || u.MIMEType != "image/tiff" || u.Size != 8 {
		t.Errorf("%+v", u)
	}
	if data, err := os.ReadFile(u.TempName); string(data) != "II*\x00data" || err != nil {
		t.Errorf("%q %v", data, err)
	}
	b := newBench(t, nil, nil)
	got := b.eval("local u = server.uploads[1] server.print(u.origname, u.filesize, server.post.title, server.get.a, server.request.title, server.header['x-many'], #server.headers['x-many'])", req)
	if got != "a.tif8Bild2Bild1, 22" {
		t.Errorf("script sees %q", got)
	}
	cleanup()
	if _, err := os.Stat(u.TempName); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("upload remains: %v", err)
	}
	req, _, err = readRequest(t, "POST", "/", "application/json", `{"a":1}`)
	if err != nil || req.ContentType != "application/json" {
		t.Fatalf("%+v %v", req, err)
	}
	if got := b.eval("local _, t = server.json_to_table(server.content) server.print(t.a, server.content_type)", req); got != "1application/json" {
		t.Errorf("script sees %q", got)
	}
	req, _, err = readRequest(t, "POST", "/", "application/x-www-form-urlencoded", "x=1&y=%C3%A4")
	if err != nil || len(req.Form) != 2 || req.Form[1].Value != "ä" {
		t.Errorf("%+v %v", req, err)
	}
}

func TestReadRequestRefuses(t *testing.T) {
	var tooLarge *http.MaxBytesError
	for _, c := range []struct{ media, body string }{
		{"text/plain", strings.Repeat("x", 1001)},
		{"text/plain", strings.Repeat("x", 3000)},
		{"application/x-www-form-urlencoded", strings.Repeat("x", 1001)},
		{"multipart/form-data; boundary=B", strings.Replace(multipartBody, "data", strings.Repeat("x", 3000), 1)},
		{"multipart/form-data; boundary=B", strings.Replace(multipartBody, "Bild", strings.Repeat("x", 1001), 1)},
	} {
		if _, _, err := readRequest(t, "POST", "/", c.media, c.body); !errors.As(err, &tooLarge) {
			t.Errorf("%s of %d bytes: %v", c.media, len(c.body), err)
		}
	}
	for _, body := range []string{"", "--B\r\n", multipartBody[:len(multipartBody)-20], strings.Repeat("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n", 30)} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.NopCloser(strings.NewReader(body)))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=B")
		dir := t.TempDir()
		_, cleanup, err := ReadRequest(r, BodyLimits{Max: 1 << 20, Content: 1 << 20, TempDir: dir})
		if !errors.Is(err, ErrForm) {
			t.Errorf("%.30q: %v", body, err)
		}
		cleanup()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%.30q leaves %v", body, left)
		}
	}
}
