//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// settle is the longest that a test waits for a program.
const settle = time.Minute

// root is the checkout's top.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// output is what a program wrote so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// program is a running program, ended after the test.
type program struct {
	out output
	end chan error
}

// launch starts a program and asks it to end after the test. Its output is
// shown where the test failed.
func launch(t *testing.T, name string, args ...string) *program {
	t.Helper()
	p := &program{end: make(chan error, 1)}
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Stdout, cmd.Stderr = &p.out, &p.out
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.end <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.end:
		case <-time.After(settle):
			_ = cmd.Process.Kill()
			t.Errorf("%s did not end", name)
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(name), &p.out)
		}
	})
	return p
}

// await polls until a condition is met, the program ends, or time is up.
func (p *program) await(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.After(settle)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case err := <-p.end:
			p.end <- err
			t.Fatalf("ended before %s: %v\n%s", what, err, &p.out)
		case <-deadline:
			t.Fatalf("waited in vain for %s\n%s", what, &p.out)
		}
	}
}

var address = regexp.MustCompile(`http://[^/\s]+:(\d+)/iiif/3/`)

// serve starts iiifd on a free port and returns host:port.
func serve(t *testing.T, dir string, args ...string) (string, *program) {
	t.Helper()
	binary := filepath.Join(root(t), "bin", "iiifd")
	p := launch(t, binary, append([]string{
		"serve", "--listen", "127.0.0.1:0", "--operator-listen", "off", "--cache-dir", t.TempDir(), "--log-level", "warn",
	}, append(args, dir)...)...)
	p.await(t, "the address", func() bool { return address.MatchString(p.out.String()) })
	host := "127.0.0.1:" + address.FindStringSubmatch(p.out.String())[1]
	p.await(t, "readiness", func() bool { return status(t, "http://"+host+"/readyz") == http.StatusOK })
	return host, p
}

// status asks for an address; 0 means that nobody answered.
func status(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
