package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/cache"
)

// TestPurgeBesideAServer purges through the server that has the directory, and
// not through one that has another.
func TestPurgeBesideAServer(t *testing.T) {
	dir, _ := picture(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, dir, "--operator-token-file", token)
	ours, other := r.cfg.Cache.Dir, t.TempDir()
	if resp, _ := fetch(t, r.base+"/iiif/3/a.png/full/50,/0/default.jpg"); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	await(t, "the stored answer", func() bool {
		_, stdout, _ := invoke(t, nil, "cache", "stat", "--cache-dir", ours)
		return strings.HasPrefix(stdout, "1 file,")
	})

	cfg, _, err := loadConfig([]string{"--cache-dir", other}, nil)
	if err != nil {
		t.Fatal(err)
	}
	held, err := cache.New(cfg.Cache, r.egress.of(""), quiet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	args := []string{
		"cache", "purge", "a.png", "--operator-listen", strings.TrimPrefix(r.operator, "http://"), "--operator-token-file", token, "--cache-dir",
	}
	if status, stdout, stderr := invoke(t, nil, append(args, other)...); status != exitFailed || !strings.Contains(stderr, "has another: "+ours) {
		t.Errorf("another server's directory: %d %q %q", status, stdout, stderr)
	}
	if status, stdout, stderr := invoke(t, nil, append(args, ours)...); status != 0 || !strings.HasPrefix(stdout, "removed 1 file,") {
		t.Errorf("its own directory: %d %q %q", status, stdout, stderr)
	}
}
