package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"example.com/iiifd/decode"
	"example.com/iiifd/lua"
	"example.com/iiifd/testimages"
)

// TestMain lets the test binary be the processes that scripts run in and that
// draw.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == lua.WorkerCommand {
		os.Exit(runWorker())
	}
	if len(os.Args) == 2 && os.Args[1] == decode.DrawCommand {
		os.Exit(runDrawing())
	}
	os.Exit(m.Run())
}

// started is a program that serves.
type started struct {
	base   string
	stderr *lines
	stop   func() int
}

// startServing starts "iiifd serve" with further arguments.
func startServing(t *testing.T, args ...string) *started {
	t.Helper()
	var stdout, stderr lines
	ctx, cancel := context.WithCancel(context.Background())
	base := []string{"serve", "--listen=127.0.0.1:0", "--cache-dir", t.TempDir()}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--operator-listen") }) {
		base = append(base, "--operator-listen=off")
	}
	p := &program{args: append(base, args...), stdout: &stdout, stderr: &stderr}
	done := make(chan int, 1)
	go func() { done <- p.run(ctx) }()
	s := &started{stderr: &stderr}
	s.stop = func() int {
		cancel()
		select {
		case status := <-done:
			done <- status
			return status
		case <-time.After(60 * time.Second):
			t.Fatal("the program did not end")
			return -1
		}
	}
	t.Cleanup(func() { s.stop() })
	address := regexp.MustCompile(`http://\S+?:\d+`)
	await(t, "the address: "+stderr.String(), func() bool { return address.MatchString(stdout.String()) })
	s.base = address.FindString(stdout.String())
	return s
}

// send makes a request; headers are "Name: value".
func (s *started) send(t *testing.T, method, path string, body io.Reader, headers ...string) (reply, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header}, string(text)
}

// reply is the head of an answer.
type reply struct {
	StatusCode int
	Header     http.Header
}

// collection is a folder of pictures for the examples.
func collection(t *testing.T) string {
	t.Helper()
	dir, _ := picture(t)
	one, err := os.ReadFile(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"box/1.png", "box/2.png", "restricted/3.png"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, one, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const examples = "../../examples/lua"

// TestExamples runs every example against the real server.
func TestExamples(t *testing.T) {
	dir := collection(t)
	s := startServing(t, "--script-dir", examples, "--init-script", "init_clickthrough.lua", "--jwt-key", "a key that is long enough for HS256", dir)

	resp, body := s.send(t, "GET", "/upright/a.png", nil)
	if m, kind, err := image.DecodeConfig(strings.NewReader(body)); err != nil || kind != "jpeg" || m.Width != 120 || m.Height != 80 {
		t.Errorf("orientation: %d %v %v", resp.StatusCode, m, err)
	}

	resp, body = s.send(t, "GET", "/manifest/box", nil)
	var manifest struct {
		Type  string
		Items []struct{ Width, Height int }
	}
	if err := json.Unmarshal([]byte(body), &manifest); err != nil || manifest.Type != "Manifest" || len(manifest.Items) != 2 || manifest.Items[0].Width != 120 {
		t.Errorf("manifest: %d %v %s", resp.StatusCode, err, body)
	}

	resp, body = s.send(t, "GET", "/contact/box", nil)
	sheet := regexp.MustCompile(`src="([^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(sheet) != 2 {
		t.Fatalf("contact sheet: %d %s", resp.StatusCode, body)
	}
	if resp, _ := s.send(t, "GET", sheet[0][1], nil); resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("a picture of the sheet: %d", resp.StatusCode)
	}

	// Clickthrough: refused, told how, accepted, seen.
	const image = "/iiif/3/restricted%2F3.png/full/max/0/default.png"
	if resp, _ := s.send(t, "GET", image, nil); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("before the click: %d", resp.StatusCode)
	}
	if resp, body := s.send(t, "GET", "/iiif/3/restricted%2F3.png/info.json", nil); resp.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "auth/1/clickthrough") {
		t.Errorf("info.json before the click: %d %s", resp.StatusCode, body)
	}
	resp, _ = s.send(t, "GET", "/auth/click", nil)
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if resp, _ := s.send(t, "GET", image, nil, "Cookie: "+cookie); resp.StatusCode != http.StatusOK || resp.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("after the click: %d %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := s.send(t, "GET", "/iiif/3/restricted%2F3.png/file", nil, "Cookie: "+cookie); resp.StatusCode != http.StatusOK {
		t.Errorf("the file after the click: %d", resp.StatusCode)
	}
	resp, body = s.send(t, "GET", "/auth/token", nil, "Cookie: "+cookie)
	var token struct{ AccessToken string }
	if err := json.Unmarshal([]byte(body), &token); err != nil || token.AccessToken == "" {
		t.Fatalf("token: %d %s", resp.StatusCode, body)
	}
	if resp, _ := s.send(t, "GET", image, nil, "Authorization: Bearer "+token.AccessToken); resp.StatusCode != http.StatusOK {
		t.Errorf("with the token: %d", resp.StatusCode)
	}
	if resp, _ := s.send(t, "GET", "/", nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the landing page beside a hook: %d", resp.StatusCode)
	}

	uploader, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "upload", "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte("a key that is long enough for HS256"))
	if err != nil {
		t.Fatal(err)
	}
	s.upload(t, dir, uploader)
	if status := s.stop(); status != 0 {
		t.Errorf("status %d: %s", status, s.stderr.String())
	}
	if strings.Contains(s.stderr.String(), "long enough") {
		t.Error("the key stands in the log")
	}
}

// upload sends a picture to the example and asks for what became of it.
func (s *started) upload(t *testing.T, dir, token string) {
	t.Helper()
	one, err := os.ReadFile(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	head := textproto.MIMEHeader{}
	head.Set("Content-Disposition", `form-data; name="file"; filename="page 1.png"`)
	head.Set("Content-Type", "image/png")
	part, err := m.CreatePart(head)
	if err == nil {
		_, err = part.Write(one)
	}
	if err != nil || m.Close() != nil {
		t.Fatal(err)
	}
	resp, body := s.send(t, "POST", "/upload", &form, "Content-Type: "+m.FormDataContentType(), "Authorization: Bearer "+token)
	var stored []struct {
		ID            string
		Width, Height int
	}
	if err := json.Unmarshal([]byte(body), &stored); err != nil || resp.StatusCode != http.StatusCreated || len(stored) != 1 || stored[0].Width != 120 {
		t.Fatalf("upload: %d %v %s %s", resp.StatusCode, err, body, s.stderr.String())
	}
	if resp, body := s.send(t, "GET", "/iiif/3/"+stored[0].ID+"/full/60,/0/default.jpg", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("the uploaded image: %d %s", resp.StatusCode, body)
	}
	if status, out, _ := invoke(t, nil, "estimate", "--json", filepath.Join(dir, stored[0].ID), "full/max/0/default.jpg"); status != 0 || !strings.Contains(out, `"tile_width": 256`) && !strings.Contains(out, `"tile_width":256`) {
		t.Errorf("the upload is no tiled TIFF: %s", out)
	}
}

// TestThumbnailExample: small for all, whole for the bearer of the cookie.
func TestThumbnailExample(t *testing.T) {
	s := startServing(t, "--script-dir", examples, "--init-script", "init_thumbnails.lua", "--jwt-key", "a key that is long enough for HS256", "--landing=true", large(t))
	width := func(headers ...string) int {
		_, body := s.send(t, "GET", "/iiif/3/large.png/info.json", nil, headers...)
		var doc struct{ Width int }
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			t.Fatalf("%v %s", err, body)
		}
		return doc.Width
	}
	resp, _ := s.send(t, "GET", "/auth/click", nil)
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if small, whole := width(), width("Cookie: "+cookie); small != 128 || whole != 300 {
		t.Errorf("%d for all, %d with the cookie", small, whole)
	}
	if resp, _ := s.send(t, "GET", "/iiif/3/large.png/file", nil); resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		t.Errorf("the original for all: %d", resp.StatusCode)
	}
	if resp, _ := s.send(t, "GET", "/", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("the landing page that was asked for: %d", resp.StatusCode)
	}
}

// large is a directory with a picture of 300×200 pixels.
func large(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "large.png"))
	if err == nil {
		err = errors.Join(png.Encode(f, image.NewNRGBA(image.Rect(0, 0, 300, 200))), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLuaCheck(t *testing.T) {
	good, bad := filepath.Join(t.TempDir(), "good.lua"), filepath.Join(t.TempDir(), "bad.lua")
	if err := os.WriteFile(good, []byte("server.print(1)"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("\nio.open('x')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := invoke(t, nil, "lua", "check", good); status != 0 || out != "" {
		t.Errorf("%d %q %q", status, out, errs)
	}
	if status, out, errs := invoke(t, nil, "lua", "check", good, bad); status != 1 || !strings.Contains(out, bad+":2: error: io") || !strings.Contains(errs, "1 of these") {
		t.Errorf("%d %q %q", status, out, errs)
	}
	var findings []lua.Finding
	if status, out, _ := invoke(t, nil, "lua", "check", "--json", bad); status != 1 || json.Unmarshal([]byte(out), &findings) != nil || len(findings) != 1 {
		t.Errorf("%d %s", status, out)
	}
	for _, args := range [][]string{{"lua"}, {"lua", "check"}, {"lua", "run", good}} {
		if status, _, _ := invoke(t, nil, args...); status != 2 {
			t.Errorf("%v: %d", args, status)
		}
	}
}

// TestSecretsAreMasked in all that prints the configuration.
func TestSecretsAreMasked(t *testing.T) {
	for _, args := range [][]string{{"config", "explain"}, {"config", "explain", "--json"}} {
		_, out, errs := invoke(t, []string{"IIIFD_JWT_KEY=very secret"}, args...)
		if strings.Contains(out+errs, "very secret") || !strings.Contains(out, "***") {
			t.Errorf("%v: %s", args, out)
		}
	}
}

// TestRoutesInTheFile are read, checked and served.
func TestRoutesInTheFile(t *testing.T) {
	dir, _ := picture(t)
	scripts := t.TempDir()
	if err := os.WriteFile(filepath.Join(scripts, "x.lua"), []byte("server.print('here')"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "iiifd.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, says := range map[string]string{
		"[[route]]\nmethod = \"GET\"\npath = \"/x\"":                                                                                        "script: is required",
		"[[route]]\nmethod = \"GET\"\npath = \"/x\"\nscrip = \"x.lua\"":                                                                     "did you mean script?",
		"[[route]]\nmethod = \"FETCH\"\npath = \"/x\"\nscript = \"x.lua\"":                                                                  "unknown method",
		"[[route]]\nmethod = \"GET\"\npath = \"/x\"\nscript = \"../x.lua\"":                                                                 "does not lie in the script directory",
		"[[route]]\nmethod = \"GET\"\npath = \"/x\"\nroute = \"/y\"\nscript = \"x.lua\"":                                                    "given twice",
		"[route]\nmethod = \"GET\"":                                                                                                         "two brackets",
		"[[route]]\nmethod = \"GET\"\npath = \"/x\"\nscript = \"x.lua\"\n[[routes]]\nmethod = \"GET\"\nroute = \"/x/\"\nscript = \"x.lua\"": "given twice",
	} {
		write(text)
		if status, _, errs := invoke(t, nil, "config", "check", "--config", file); status != 1 || !strings.Contains(errs, says) {
			t.Errorf("%q: %d %s", text, status, errs)
		}
	}
	write("[[route]]\nmethod = \"GET\"\npath = \"/livez/x\"\nscript = \"x.lua\"\n")
	if status, _, errs := invoke(t, nil, "serve", "--listen=127.0.0.1:0", "--operator-listen=off", "--cache-dir=off", "--config", file, "--script-dir", scripts, dir); status != 1 || !strings.Contains(errs, "the server's own") {
		t.Errorf("%d %s", status, errs)
	}
	write("[[routes]]\nmethod = \"GET\"\nroute = \"/x\"\nscript = \"x.lua\"\n")
	s := startServing(t, "--config", file, "--script-dir", scripts, dir)
	if resp, body := s.send(t, "GET", "/x/y", nil); resp.StatusCode != http.StatusOK || body != "here" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if resp, _ := s.send(t, "GET", "/", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("the landing page beside a route: %d", resp.StatusCode)
	}
}

// TestScriptPriceIsTheEstimate: an image of 300 megapixels that a script opens
// is charged what "iiifd estimate" says, as the operator sees while it is
// made, and nothing afterwards.
func TestScriptPriceIsTheEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a large file")
	}
	file := testimages.Large(t, testimages.LargePyramid, testimages.Width300M, testimages.Height300M)
	_, out, errs := invoke(t, nil, "estimate", "--json", file, "full/9000,/0/default.jpg")
	var priced struct {
		Peak int64 `json:"peak_bytes"`
	}
	if err := json.Unmarshal([]byte(out), &priced); err != nil || priced.Peak == 0 {
		t.Fatalf("%v %s", err, errs)
	}
	scripts := t.TempDir()
	init := `routes = { { method = 'GET', route = '/make', script = 'make.lua' } }`
	code := `local ok, img = SipiImage.new(config.imgroot .. '/` + filepath.Base(file) + `') img:scale('9000,')
		local ok, e = iiifd.estimate(config.imgroot .. '/` + filepath.Base(file) + `', 'full/9000,/0/default.jpg')
		local done, why = img:write(config.tmpdir .. '/x.jpg')
		server.print(e.peak_bytes, ' ', tostring(done), ' ', why)`
	for name, text := range map[string]string{"init.lua": init, "make.lua": code} {
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startServing(t, "--operator-listen=127.0.0.1:0", "--script-dir", scripts, "--init-script", "init.lua", "--lua-timeout=2m", "--request-timeout=3m", filepath.Dir(file))
	operator := "http://" + regexp.MustCompile(`"operator listener","address":"([^"]+)"`).FindStringSubmatch(s.stderr.String())[1]
	inUse := func() int64 {
		_, body := fetch(t, operator+"/admission")
		var snapshot struct {
			Budget struct {
				InUse int64 `json:"in_use_bytes"`
			}
		}
		if err := json.Unmarshal([]byte(body), &snapshot); err != nil {
			t.Fatal(err)
		}
		return snapshot.Budget.InUse
	}
	answer := make(chan string, 1)
	go func() {
		_, body := s.send(t, "GET", "/make", nil)
		answer <- body
	}()
	await(t, "the charge", func() bool { return inUse() != 0 })
	if charged := inUse(); charged != priced.Peak {
		t.Errorf("charged %d, the estimate is %d", charged, priced.Peak)
	}
	select {
	case body := <-answer:
		if !strings.HasPrefix(body, strconv.FormatInt(priced.Peak, 10)+" true ") {
			t.Errorf("the script: %s; the estimate is %d", body, priced.Peak)
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("the script did not end")
	}
	if left := inUse(); left != 0 {
		t.Errorf("%d bytes are still charged", left)
	}
}

// TestHooksAreBooked: the memory of hooks is part of the books where an init
// script may define them.
func TestHooksAreBooked(t *testing.T) {
	scripts := t.TempDir()
	if err := os.WriteFile(filepath.Join(scripts, "init.lua"), []byte("function pre_flight() return 'allow' end"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServing(t, "--operator-listen=127.0.0.1:0", "--script-dir", scripts, "--init-script", "init.lua", "--memory-limit=4GiB", "--hook-slots=3", "--hook-memory-limit=24MiB", t.TempDir())
	operator := "http://" + regexp.MustCompile(`"operator listener","address":"([^"]+)"`).FindStringSubmatch(s.stderr.String())[1]
	_, body := fetch(t, operator+"/admission")
	var snapshot struct {
		Books struct {
			Hooks int64 `json:"hooks_bytes"`
			Slots int   `json:"hook_slots"`
		}
	}
	if err := json.Unmarshal([]byte(body), &snapshot); err != nil || snapshot.Books.Slots != 3 || snapshot.Books.Hooks != 3*24<<20 {
		t.Errorf("%v %+v %s", err, snapshot, body)
	}
}
