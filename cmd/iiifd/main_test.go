package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// invoke runs a command line to its end.
func invoke(t *testing.T, environ []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &program{args: args, environ: environ, stdout: &out, stderr: &errs}
	status = p.run(t.Context())
	return status, out.String(), errs.String()
}

// picture writes a PNG and returns its directory and name.
func picture(t *testing.T) (dir, file string) {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 120, 80))
	for i := range m.Pix {
		m.Pix[i] = uint8(i * 7)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	m.Set(0, 0, color.NRGBA{R: 255, A: 255})
	dir = t.TempDir()
	file = filepath.Join(dir, "a.png")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

func TestExitStatus(t *testing.T) {
	_, file := picture(t)
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{nil, 0, ""},
		{[]string{"help"}, 0, ""},
		{[]string{"help", "serve"}, 0, ""},
		{[]string{"serve", "--help"}, 0, ""},
		{[]string{"version"}, 0, ""},
		{[]string{"srve"}, 2, `did you mean "serve"?`},
		{[]string{"help", "nothing"}, 2, "Run 'iiifd help' for the list"},
		{[]string{"help", "rendr"}, 2, `did you mean "render"?`},
		{[]string{"serve", "--lissten=:1"}, 2, "did you mean --listen?"},
		{[]string{"serve", "a", "b"}, 2, "one DIRECTORY"},
		{[]string{"serve", "--listen", "127.0.0.1:0", "/does/not/exist"}, 1, "no such file"},
		{[]string{"render", file}, 2, "needs FILE"},
		{[]string{"render", file, "full/max/0/default.xyz", "-o", "-"}, 2, "format"},
		{[]string{"render", file + "x", "full/max/0/default.jpg", "-o", "-"}, 1, filepath.Base(file) + "x: no such image"},
		{[]string{"render", file, "full/999,/0/default.jpg", "-o", "-"}, 1, filepath.Base(file) + ": size: "},
		{[]string{"render", file, "full/max/0/default.jpg", "-o", "/does/not/exist.jpg"}, 1, "write /does/not/exist.jpg: "},
		{[]string{"explain", filepath.Dir(file), "/iiif/3/a.png/info.json"}, 2, "before DIRECTORY"},
		{[]string{"serve", "--listen", "8182"}, 1, "host:port"},
		{[]string{"config", "check"}, 0, ""},
		{[]string{"config", "chekc"}, 2, "check"},
		{[]string{"config", "check", "--config", "/does/not/exist"}, 1, "config"},
		{[]string{"health", "http://127.0.0.1:1/readyz"}, 1, "refused"},
		{[]string{"health", "nonsense"}, 2, "not a URL"},
		{[]string{"health", "a", "b"}, 2, "one URL"},
		{[]string{"health", "--listen", "127.0.0.1:1"}, 1, "refused"},
	} {
		status, _, stderr := invoke(t, nil, c.args...)
		if status != c.status || !strings.Contains(stderr, c.says) {
			t.Errorf("iiifd %v: status %d, %q; want %d, %q", c.args, status, stderr, c.status, c.says)
		}
	}
}

func TestRender(t *testing.T) {
	dir, file := picture(t)
	out := filepath.Join(dir, "out.jpg")
	if status, _, stderr := invoke(t, nil, "render", file, "full/60,/90/default.jpg", "-o", out); status != 0 {
		t.Fatal(stderr)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if cfg, kind, err := image.DecodeConfig(f); err != nil || kind != "jpeg" || cfg.Width != 40 || cfg.Height != 60 {
		t.Errorf("%s %+v %v", kind, cfg, err)
	}
	// A failure leaves no file behind.
	broken := filepath.Join(dir, "broken.png")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(dir, "none.jpg")
	if status, _, stderr := invoke(t, nil, "render", broken, "full/max/0/default.jpg", "-o", none); status != 1 || !strings.Contains(stderr, "damaged") {
		t.Errorf("status %d, %s", status, stderr)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// A device or a pipe is written to; renaming a file over it would destroy it.
func TestRenderIntoPipe(t *testing.T) {
	dir, file := picture(t)
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// Open for both, so that neither side waits for the other.
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if status, _, stderr := invoke(t, nil, "render", file, "full/16,/0/default.jpg", "-o", pipe); status != 0 {
		t.Fatal(stderr)
	}
	fi, err := os.Lstat(pipe)
	if err != nil || fi.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe became %v, %v", fi.Mode(), err)
	}
	head := make([]byte, 3)
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte{0xff, 0xd8, 0xff}) {
		t.Errorf("read %x, %v", head, err)
	}
}

func TestConfigOrigins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "iiifd.toml")
	if err := os.WriteFile(file, []byte("listen = \":1\"\nmax_width = 7\nrequest_timeout = \"27s\"\ntrusted_proxies = [\"10.0.0.0/8\"]\n[[mount]]\npath = \"/unit\"\nversion = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"IIIFD_CONFIG=" + file, "IIIFD_REQUEST_TIMEOUT=28s", "SIPI_BODY_READ_TIMEOUT=3"}
	status, stdout, stderr := invoke(t, env, "config", "explain", "--json", "--listen=:2")
	if status != 0 {
		t.Fatal(stderr)
	}
	var all []setting
	if err := json.Unmarshal([]byte(stdout), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range all {
		got[s.Name] = s.Value + " from " + s.Origin
	}
	for name, want := range map[string]string{
		"listen": ":2 from flag", "max-width": "7 from file", "request-timeout": "28s from environment",
		"body-read-timeout": "3s from SIPI environment", "trusted-proxies": "10.0.0.0/8 from file", "max-connections": "4096 from default",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestBadConfigFiles(t *testing.T) {
	for text, says := range map[string]string{
		"listn = \":1\"":                                                  "line 1: listn: no such option; did you mean listen?",
		"# a\n\nlisten = ':1'\n'listn' = 1":                               "line 4: listn: no such option",
		"base_url = \"\"\"\nlistn = 1\n\"\"\"\nlistn = 2":                 "line 4: listn",
		"[[mount]]\npath = \"/x\"\n[[mount]]\nversion = 2\npaht = \"/y\"": "mount 2: line 5: paht: no such key",
		"log_level = \"info\"\n[[mount]]\nversion = 2":                    "mount 1: line 2: path: is required",
		"\nqueue_max = -1":                                                "line 2: queue_max: ",
		"\n[sever]\nx = 1":                                                "line 2: sever: ",
		"\n[[route]]\nmethod = \"GET\"\nskript = \"x\"":                   "route 1: line 4: skript",
		"listen = \":1\"\nlisten = ":                                      "line 2",
		"listen = \":1\"\nlisten = \":2\"":                                "listen",
		"max_width = -1":                                                  "outside",
		"max_height = 5":                                                  "needs max-width",
		"[server]\nlisten = \":1\"":                                       "no such table",
		"tls_cert = \"x\"":                                                "both or neither",
		"base_url = \"images.example.org\"":                               "base-url",
		"trusted_proxies = [\"somewhere\"]":                               "neither a network nor an address",
		"[[mount]]\npath = \"/x\"\nvrsion = 2":                            "did you mean version?",
		"[[mount]]\nversion = 2":                                          "is required",
		"[[mount]]\npath = \"/x\"\nversion = 4":                           "2 or 3",
		"[mount]\npath = \"/x\"":                                          "two brackets",
		"[[mont]]\npath = \"/x\"":                                         "did you mean [[mount]]?",
		"[[mount]]\npath = \"/x\"\nlisten = \"x\"":                        "above the first [[mount]]",
		"listen = ": "toml",
	} {
		file := filepath.Join(t.TempDir(), "iiifd.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := invoke(t, nil, "config", "check", "--config", file); status != 1 || !strings.Contains(stderr, says) {
			t.Errorf("%q: status %d, %q, want %q", text, status, stderr, says)
		}
	}
}

// lines is a writer that can be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// await waits for a condition that another goroutine brings about.
func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited in vain for " + what)
		}
	}
}

func fetch(t *testing.T, url string) (reply, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header}, string(body)
}

// TestServe starts the program as a user does, without configuration, and
// takes it through reloads to its end.
func TestServe(t *testing.T) {
	dir, _ := picture(t)
	file := filepath.Join(t.TempDir(), "iiifd.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	var stdout, stderr lines
	reload := make(chan os.Signal, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	p := &program{args: []string{"serve", "--listen=127.0.0.1:0", "--operator-listen=127.0.0.1:0", "--cache-dir", t.TempDir(), "--config", file, dir}, stdout: &stdout, stderr: &stderr, reload: reload}
	done := make(chan int, 1)
	go func() { done <- p.run(ctx) }()
	address := regexp.MustCompile(`http://\S+?:\d+`)
	await(t, "the address", func() bool { return address.MatchString(stdout.String()) })
	base := address.FindString(stdout.String())

	if resp, body := fetch(t, base+"/iiif/3/a.png/info.json"); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"width":120`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if status, out, errs := invoke(t, nil, "health", base); status != 0 || out != "ok\n" {
		t.Errorf("health: %d %q %q", status, out, errs)
	}
	if resp, _ := fetch(t, base+"/"); resp.StatusCode != http.StatusOK {
		t.Errorf("landing page: %d", resp.StatusCode)
	}

	// A good edit is taken, a bad one leaves everything as it is.
	write("max_width = 50\nimage_cache_control = \"no-cache\"\n")
	reload <- syscall.SIGHUP
	await(t, "the reload", func() bool { return strings.Contains(stderr.String(), "configuration reloaded") })
	if resp, _ := fetch(t, base+"/iiif/3/a.png/full/60,/0/default.jpg"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("above the new limit: %d", resp.StatusCode)
	}
	write("max_width = 60\nimage_cache_control = \"x\"\nmax_widht = 70\n")
	reload <- syscall.SIGHUP
	await(t, "the refusal", func() bool { return strings.Contains(stderr.String(), "did you mean max_width?") })
	resp, _ := fetch(t, base+"/iiif/3/a.png/full/50,/0/default.jpg")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("after a bad edit: %d %q", resp.StatusCode, resp.Header.Get("Cache-Control"))
	}
	if resp, _ := fetch(t, base+"/iiif/3/a.png/full/60,/0/default.jpg"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a bad edit was half taken: %d", resp.StatusCode)
	}

	stop()
	select {
	case status := <-done:
		if status != 0 {
			t.Errorf("status %d: %s", status, stderr.String())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the program did not end")
	}
}
