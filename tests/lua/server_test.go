//go:build e2e

package lua

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// limit is the server's memory cgroup in bytes.
const limit = 512 << 20

// cgroup makes a memory cgroup, version 1 or 2, and returns what puts a
// process inside.
func cgroup(t *testing.T) string {
	t.Helper()
	dir, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
		dir, file = "/sys/fs/cgroup", "memory.max"
		if text, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control")); err != nil || !strings.Contains(string(text), "memory") {
			t.Skip("no memory controller in /sys/fs/cgroup: hostile scripts are not tried in a cgroup here")
		}
	}
	dir = filepath.Join(dir, fmt.Sprintf("iiifd-lua-%d", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("a memory cgroup takes root (%v): hostile scripts are not tried in a cgroup here", err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	if err := os.WriteFile(filepath.Join(dir, file), fmt.Append(nil, limit), 0o644); err != nil {
		t.Skipf("the memory cgroup takes no limit (%v): hostile scripts are not tried in a cgroup here", err)
	}
	return dir
}

// collection is a picture for the tiles and a directory with the scripts, each
// at a route of its name.
func collection(t *testing.T, code map[string]string) (images, scripts, config string) {
	t.Helper()
	images, scripts = t.TempDir(), t.TempDir()
	m := image.NewRGBA(image.Rect(0, 0, 2048, 2048))
	for y := range 2048 {
		for x := range 2048 {
			m.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y >> 8), 255})
		}
	}
	f, err := os.Create(filepath.Join(images, "a.jpg"))
	if err == nil {
		err = errors.Join(jpeg.Encode(f, m, nil), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	var toml strings.Builder
	for name, text := range code {
		if err := os.WriteFile(filepath.Join(scripts, name+".lua"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&toml, "[[route]]\nmethod = \"GET\"\npath = \"/%s\"\nscript = \"%s.lua\"\n", name, name)
	}
	config = filepath.Join(scripts, "iiifd.toml")
	if err := os.WriteFile(config, []byte(toml.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return images, scripts, config
}

// tile is the path of the i-th tile; none is asked for twice, so that none is
// cached.
func tile(i int) string {
	return fmt.Sprintf("/iiif/3/a.jpg/%d,%d,256,256/256,256/0/default.jpg", i%1700, i/1700*7)
}

// server is the built program, which serves.
type server struct {
	base   string
	pid    int
	client *http.Client
	ended  <-chan error
}

// serve starts the built program, in the cgroup unless that is "", with
// scripts at routes of their names.
func serve(t *testing.T, group string, code map[string]string, args ...string) *server {
	t.Helper()
	binary, err := filepath.Abs("../../bin/iiifd")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatal("bin/iiifd is not built: run make e2e")
	}
	images, scripts, config := collection(t, code)
	errs, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "/bin/sh", "-c", `[ -z "$0" ] || echo $$ > "$0/cgroup.procs" && exec "$@"`, group, binary, "serve",
		"--listen=127.0.0.1:0", "--operator-listen=off", "--cache-dir", t.TempDir(), "--config", config, "--script-dir", scripts,
		"--jwt-key", "a key that is long enough for HS256")
	cmd.Args = append(append(cmd.Args, args...), images)
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	address := make(chan string, 1)
	go func() { done <- wait(cmd, out, address) }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-done
		if t.Failed() {
			tail, _ := os.ReadFile(errs.Name())
			t.Logf("%s", tail[max(0, len(tail)-6000):])
		}
	})
	s := &server{pid: cmd.Process.Pid, ended: done, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	t.Cleanup(s.client.CloseIdleConnections)
	select {
	case s.base = <-address:
	case <-time.After(time.Minute):
		t.Fatal("the server did not start")
	}
	return s
}

// wait tells the address that the program prints and returns when it ends.
func wait(cmd *exec.Cmd, out io.Reader, address chan<- string) error {
	pattern := regexp.MustCompile(`http://\S+?:\d+`)
	var text strings.Builder
	told := false
	buf := make([]byte, 4096)
	for {
		n, err := out.Read(buf)
		if text.Write(buf[:n]); !told {
			if found := pattern.FindString(text.String()); found != "" {
				address <- found
				told = true
			}
		}
		if err != nil {
			return cmd.Wait()
		}
	}
}

// get asks for a path.
func (s *server) get(path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.base+path, nil)
	if err != nil {
		return nil, err
	}
	return s.client.Do(req)
}

// fetch reads an answer to its end.
func (s *server) fetch(path string) (status int, err error) {
	resp, err := s.get(path)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}
