package lua

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"example.com/iiifd/auth"
)

const examplesDir = "../examples/lua"

// exampleBench runs the examples as they are, with an init script of theirs.
func exampleBench(t *testing.T, init string, files map[string]string) *bench {
	t.Helper()
	dir, err := filepath.Abs(examplesDir)
	if err != nil {
		t.Fatal(err)
	}
	return newBench(t, files, func(c *Config) { c.ScriptDir, c.InitScript = dir, init })
}

func (b *bench) route(t *testing.T, method, uri string, req *Request) (*Response, string) {
	t.Helper()
	path, query, _ := strings.Cut(uri, "?")
	r, ok, _ := b.runtime.Routes().Match(method, path)
	if !ok {
		t.Fatalf("no route for %s %s", method, uri)
	}
	if req == nil {
		req = &Request{}
	}
	req.Method, req.URI, req.Host, req.Query = method, path, "images.example.org", parsePairs(query)
	resp, body, err := b.serve(r.Script, req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, uri, err)
	}
	return resp, body
}

func TestExamplesPassTheCheck(t *testing.T) {
	names, err := filepath.Glob(examplesDir + "/*.lua")
	if err != nil || len(names) < 9 {
		t.Fatalf("%v %v", names, err)
	}
	for _, name := range names {
		findings, err := Check(name)
		if err != nil {
			t.Error(err)
		}
		for _, f := range findings {
			if f.Severity == SeverityError {
				t.Error(f)
			}
		}
	}
}

func TestExampleOrientation(t *testing.T) {
	b := exampleBench(t, "init.lua", map[string]string{"box a/x.tif": "x"})
	resp, body := b.route(t, "GET", "/upright/box%20a/x.tif", nil)
	if resp.Status != 200 || body != "jpg 400x300" || b.host.steps[0][0].Kind != StepUpright {
		t.Errorf("%d %q %v", resp.Status, body, b.host.steps)
	}
	if resp, _ = b.route(t, "GET", "/upright/none.tif", nil); resp.Status != 404 {
		t.Errorf("missing image: %d", resp.Status)
	}
	if resp, _ = b.route(t, "GET", "/upright/%2e%2e/%2e%2e/etc/passwd", nil); resp.Status != 400 {
		t.Errorf("outside: %d", resp.Status)
	}
	b.host.budget = 1
	if resp, body = b.route(t, "GET", "/upright/box%20a/x.tif", nil); resp.Status != 503 || resp.Header.Get("Retry-After") != "5" {
		t.Errorf("refused: %d %q", resp.Status, body)
	}
}

func TestExampleUpload(t *testing.T) {
	b := exampleBench(t, "init.lua", nil)
	tmp := filepath.Join(t.TempDir(), "upload-1")
	if err := os.WriteFile(tmp, []byte("II*\x00 a tiff"), 0o644); err != nil {
		t.Fatal(err)
	}
	uploads := []Upload{{FieldName: "file", OrigName: "page 1.tif", TempName: tmp, MIMEType: "image/tiff", Size: 11}}
	if resp, _ := b.route(t, "POST", "/upload", &Request{Uploads: uploads}); resp.Status != 401 {
		t.Errorf("without a token: %d", resp.Status)
	}
	// Who has accepted the terms may see, and not upload.
	viewer := map[string][]string{"authorization": {"Bearer " + b.token(t)}}
	if resp, _ := b.route(t, "POST", "/upload", &Request{Uploads: uploads, Header: viewer}); resp.Status != 401 {
		t.Errorf("with a viewer's token: %d", resp.Status)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "upload", "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte(b.config.JWTKey))
	if err != nil {
		t.Fatal(err)
	}
	bearer := map[string][]string{"authorization": {"Bearer " + token}}
	resp, body := b.route(t, "POST", "/upload", &Request{Uploads: uploads, Header: bearer})
	var stored []struct{ ID, Name string }
	if err := json.Unmarshal([]byte(body), &stored); err != nil || resp.Status != 201 || len(stored) != 1 || stored[0].Name != "page 1.tif" {
		t.Fatalf("%d %s %v", resp.Status, body, err)
	}
	if _, err := os.Stat(filepath.Join(b.files, stored[0].ID)); err != nil || b.host.renders[0].Params["pyramid"] != "yes" {
		t.Errorf("%v %v", err, b.host.renders)
	}
	uploads[0].OrigName = "page.jpg"
	if resp, _ := b.route(t, "POST", "/upload", &Request{Uploads: uploads, Header: bearer}); resp.Status != 415 {
		t.Errorf("a TIFF named jpg: %d", resp.Status)
	}
	if resp, _ := b.route(t, "POST", "/upload", &Request{Header: bearer}); resp.Status != 400 {
		t.Errorf("without files: %d", resp.Status)
	}
}

// token lets the clickthrough example make an access cookie.
func (b *bench) token(t *testing.T) string {
	t.Helper()
	resp, _ := b.route(t, "GET", "/auth/click", nil)
	value, _, _ := strings.Cut(strings.TrimPrefix(resp.Header.Get("Set-Cookie"), "iiif_access="), ";")
	if value == "" {
		t.Fatalf("no cookie: %v", resp.Header)
	}
	return value
}

func TestExampleClickthroughAndToken(t *testing.T) {
	b := exampleBench(t, "init_clickthrough.lua", map[string]string{"restricted/a.tif": "x"})
	ask := func(id string, use auth.Use, cookie string) auth.Decision {
		r := auth.Request{Use: use, Identifier: id, Host: "images.example.org", Secure: true}
		if cookie != "" {
			r.Header = map[string][]string{"cookie": {"iiif_access=" + cookie}}
		}
		d, err := b.runtime.Authorize(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	cookie := b.token(t)
	for _, use := range []auth.Use{auth.UseImage, auth.UseInfo, auth.UseKnora, auth.UseFile} {
		if d := ask("open/a.tif", use, ""); !d.Granted() {
			t.Errorf("%s: open image: %+v", use, d)
		}
		d := ask("restricted/a.tif", use, "")
		if d.Kind != auth.Clickthrough || d.Status != 401 || d.Service.CookieURL != "https://images.example.org/auth/click" {
			t.Errorf("%s: %+v", use, d)
		}
		if d := ask("restricted/a.tif", use, "forged"); d.Granted() {
			t.Errorf("%s: a forged cookie is taken", use)
		}
		if d := ask("restricted/a.tif", use, cookie); !d.Granted() {
			t.Errorf("%s: with cookie: %+v", use, d)
		}
	}
	for _, route := range []string{"/upright/restricted/a.tif", "/manifest/restricted", "/contact/restricted", "/upright/./restricted/a.tif", "/upright/x/%2e%2e/restricted/a.tif", "/manifest/./restricted", "/contact//restricted"} {
		if resp, _ := b.route(t, "GET", route, nil); resp.Status == 200 {
			t.Errorf("%s shows what the hook refuses", route)
		}
	}
	withCookie := map[string][]string{"cookie": {"iiif_access=" + cookie}}
	resp, body := b.route(t, "GET", "/auth/token", &Request{Header: withCookie})
	if resp.Status != 200 || !strings.Contains(body, `"accessToken"`) || !strings.Contains(body, `"expiresIn": 3`) {
		t.Errorf("%d %s", resp.Status, body)
	}
	if resp, body = b.route(t, "GET", "/auth/token", nil); resp.Status != 401 || !strings.Contains(body, "missingCredentials") {
		t.Errorf("%d %s", resp.Status, body)
	}
	_, body = b.route(t, "GET", "/auth/token?messageId=1%3C/script%3E&origin=https://viewer.example.org", &Request{Header: withCookie})
	if strings.Count(body, "</script>") != 1 || !strings.Contains(body, `"https://viewer.example.org")</script>`) {
		t.Errorf("%s", body)
	}
}

func TestExampleThumbnails(t *testing.T) {
	b := exampleBench(t, "init_thumbnails.lua", nil)
	cookie := map[string][]string{"cookie": {"iiif_access=" + b.token(t)}}
	for use, wantKind := range map[auth.Use]auth.Kind{auth.UseImage: auth.Restrict, auth.UseInfo: auth.Restrict, auth.UseFile: auth.Deny} {
		d, err := b.runtime.Authorize(t.Context(), auth.Request{Use: use, Identifier: "a.tif"})
		if err != nil || d.Kind != wantKind {
			t.Errorf("%s: %+v %v", use, d, err)
		}
		if use != auth.UseFile && d.Size.String() != "!128,128" {
			t.Errorf("%s: size %s", use, d.Size)
		}
		if d, err = b.runtime.Authorize(t.Context(), auth.Request{Use: use, Identifier: "a.tif", Header: cookie}); err != nil || d.Kind != auth.Allow {
			t.Errorf("%s with cookie: %+v %v", use, d, err)
		}
	}
}

func TestExampleManifest(t *testing.T) {
	b := exampleBench(t, "init.lua", map[string]string{"book/p2.tif": "x", "book/p1.tif": "x", "empty/.keep": ""})
	resp, body := b.route(t, "GET", "/manifest/book", nil)
	var m struct {
		Type  string
		ID    string
		Items []struct {
			Width, Height int
			Items         []struct {
				Items []struct{ Body struct{ ID string } }
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil || resp.Status != 200 || m.Type != "Manifest" || len(m.Items) != 2 {
		t.Fatalf("%d %s %v", resp.Status, body, err)
	}
	if got := m.Items[0].Items[0].Items[0].Body.ID; got != "http://images.example.org/iiif/3/book%2Fp1.tif/full/max/0/default.jpg" || m.Items[0].Width != 400 {
		t.Errorf("%s", body)
	}
	if resp, _ = b.route(t, "GET", "/manifest/empty", nil); resp.Status != 404 {
		t.Errorf("empty folder: %d", resp.Status)
	}
	if resp, _ = b.route(t, "GET", "/manifest/%2e%2e", nil); resp.Status != 400 {
		t.Errorf("outside: %d", resp.Status)
	}
}

func TestExampleContactSheet(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("box/%02d.tif", i)] = "x"
	}
	b := exampleBench(t, "init.lua", files)
	resp, body := b.route(t, "GET", "/contact/box", nil)
	if resp.Status != 200 || strings.Count(body, "<img") != 10 || len(b.host.renders) != 10 {
		t.Errorf("%d %s, %d renders", resp.Status, body, len(b.host.renders))
	}
	if resp, body = b.route(t, "GET", "/contact/box", nil); resp.Status != 200 || len(b.host.renders) != 10 {
		t.Errorf("again: %d %s, %d renders", resp.Status, body, len(b.host.renders))
	}
	other := exampleBench(t, "init.lua", files)
	other.host.budget = 1
	if resp, body = other.route(t, "GET", "/contact/box", nil); resp.Status != 503 || !strings.Contains(body, "fanout_exhausted") || resp.Header.Get("Retry-After") == "" {
		t.Errorf("refused: %d %s", resp.Status, body)
	}
}
