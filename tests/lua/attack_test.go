//go:build e2e

package lua

import (
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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// limit is the server's memory cgroup in bytes.
const limit = 512 << 20

// attacks want more than scripts may have.
var attacks = map[string]string{
	"doubling":    "local s = 'x' while true do s = s .. s end",
	"caught":      "local s = 'x' while true do pcall(function() s = s .. s end) end",
	"table":       "local t = {} local i = 0 while true do i = i + 1 t[i] = {i} end",
	"hash":        "local t = {} local i = 0 while true do i = i + 1 t['k' .. i] = i end",
	"sparse":      "local t = {} for i = 1, 64 do t[i] = {} t[i][4194303] = 1 end",
	"rep":         "while true do pcall(string.rep, 'x', 1e10) end",
	"concat":      "local t = {} for i = 1, 1e6 do t[i] = 'xxxxxxxxxxxxxxxx' end while true do t[1] = table.concat(t) end",
	"loop":        "while true do end",
	"pcallloop":   "while true do pcall(function() while true do end end) end",
	"recursion":   "local function f() return 1 + f() end while true do pcall(f) end",
	"sort":        "local t = {} for i = 1, 1e6 do t[i] = math.random() end while true do table.sort(t) t[1] = math.random() * 2 end",
	"backtrack":   "string.find(string.rep('a', 30000), string.rep('.-', 20) .. 'b')",
	"hugepattern": "local p = string.rep('[a-z]', 1e6) while true do string.find(string.rep('b', 1e6), p .. '%d') end",
	"print":       "while true do server.print(string.rep('x', 100)) end",
	"json":        "local t = {} for i = 1, 24 do t = {t, t} end server.table_to_json(t)",
	"jwt":         "local s = string.rep('x', 2^24) while true do server.generate_jwt({a = s}) end",
	"images":      "while true do local ok, i = SipiImage.new(config.imgroot .. '/a.jpg') i:scale('^8000,') i:write(config.tmpdir .. '/x.tif') end",
}

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

// collection is a picture for the tiles and a directory with the scripts.
func collection(t *testing.T) (images, scripts, config string) {
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
	for name, code := range attacks {
		if err := os.WriteFile(filepath.Join(scripts, name+".lua"), []byte(code), 0o600); err != nil {
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

// serve starts the built program in the cgroup and returns its address.
func serve(t *testing.T, group string) (base string, ended <-chan error) {
	t.Helper()
	binary, err := filepath.Abs("../../bin/iiifd")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("bin/iiifd is not built: run make build")
	}
	images, scripts, config := collection(t)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group, binary, "serve",
		"--listen=127.0.0.1:0", "--operator-listen=off", "--cache-dir", t.TempDir(), "--config", config, "--script-dir", scripts,
		"--jwt-key", "a key that is long enough for HS256", "--nthreads=4", "--queue-timeout-tile=20s", "--lua-timeout=3s", "--hook-slots=1", images)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	var text strings.Builder
	address := make(chan string, 1)
	go func() {
		pattern := regexp.MustCompile(`http://\S+?:\d+`)
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			text.Write(buf[:n])
			if found := pattern.FindString(text.String()); found != "" && len(address) == 0 {
				address <- found
			}
			if err != nil {
				done <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-done
		if t.Failed() {
			tail, _ := os.ReadFile(log.Name())
			t.Logf("%s", tail[max(0, len(tail)-6000):])
		}
	})
	select {
	case base = <-address:
	case <-time.After(time.Minute):
		t.Fatal("the server did not start")
	}
	return base, done
}

// TestAttacks sends hostile scripts at a live server while tiles flow: every
// tile is answered, and the process lives.
func TestAttacks(t *testing.T) {
	base, ended := serve(t, cgroup(t))
	fetch := func(path string) (int, error) {
		resp, err := http.Get(base + path)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, err
	}
	stop := make(chan struct{})
	var flowing sync.WaitGroup
	var mu sync.Mutex
	var waits []time.Duration
	for worker := range 2 {
		flowing.Go(func() {
			for i := worker; ; i += 2 {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				// Each tile is another request, so that none is cached.
				status, err := fetch(fmt.Sprintf("/iiif/3/a.jpg/%d,%d,256,256/256,256/0/default.jpg", i%1700, i/1700*7))
				if status != http.StatusOK || err != nil {
					t.Errorf("tile %d: %d %v", i, status, err)
				}
				mu.Lock()
				waits = append(waits, time.Since(began))
				mu.Unlock()
			}
		})
	}
	statuses := map[int]int{}
	var attackers sync.WaitGroup
	for name := range attacks {
		attackers.Go(func() {
			for {
				status, err := fetch("/" + name)
				if status == http.StatusServiceUnavailable {
					continue // Others hold the scripts' permits; the queue has its own wait.
				}
				if status == http.StatusOK && err == nil && name != "images" {
					t.Errorf("%s ended well", name)
				}
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				return
			}
		})
	}
	attackers.Wait()
	close(stop)
	flowing.Wait()
	select {
	case err := <-ended:
		t.Fatalf("the server ended: %v", err)
	default:
	}
	if status, err := fetch("/readyz"); status != http.StatusOK {
		t.Errorf("afterwards: %d %v", status, err)
	}
	slices.Sort(waits)
	t.Logf("%d tiles, median %v, slowest %v; attacks ended with %v", len(waits), waits[len(waits)/2], waits[len(waits)-1], statuses)
}
