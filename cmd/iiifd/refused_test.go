package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// refused are configurations that no server starts with; DIR is a directory
// that holds what the test has written. early ones are told before any part
// logs what it has opened.
var refused = []struct {
	name  string
	args  []string
	file  string
	says  string
	early bool
}{
	{name: "address without a port", args: []string{"--listen=foo"}, says: "host:port", early: true},
	{name: "port beyond all", args: []string{"--listen=:99999"}, says: "99999", early: true},
	{name: "unknown service", args: []string{"--listen=:no-such-service"}, says: "no-such-service", early: true},
	{name: "another machine's address", args: []string{"--listen=192.0.2.1:8182"}, says: "192.0.2.1", early: true},
	{name: "operator's port beyond all", args: []string{"--operator-listen=127.0.0.1:99999"}, says: "99999", early: true},
	{name: "operator's address without a port", args: []string{"--operator-listen=foo"}, says: "operator", early: true},
	{name: "operator without a token", args: []string{"--operator-listen=0.0.0.0:0"}, says: "needs operator-token-file", early: true},
	{name: "socket in no directory", args: []string{"--operator-listen=unix:DIR/none/s"}, says: "operator-listen", early: true},
	{name: "no token file", args: []string{"--operator-token-file=DIR/none"}, says: "operator-token-file", early: true},
	{name: "short token", args: []string{"--operator-token-file=DIR/text"}, says: "16 characters", early: true},
	{name: "no certificate", args: []string{"--tls-cert=DIR/none", "--tls-key=DIR/none"}, says: "tls-cert", early: true},
	{name: "certificate without sense", args: []string{"--tls-cert=DIR/text", "--tls-key=DIR/text"}, says: "tls-cert", early: true},
	{name: "no profile", args: []string{"--default-cmyk-profile=DIR/none"}, says: "default-cmyk-profile", early: true},
	{name: "profile without sense", args: []string{"--default-cmyk-profile=DIR/text"}, says: "default-cmyk-profile", early: true},
	{name: "profile of RGB", args: []string{"--default-cmyk-profile=srgb"}, says: "default-cmyk-profile", early: true},
	{name: "no quota file", args: []string{"--admission-config=DIR/none"}, says: "admission-config"},
	{name: "quota file without sense", args: []string{"--admission-config=DIR/text"}, says: "admission-config"},
	{name: "no key file", args: []string{"--api-keys-file=DIR/none"}, says: "api-keys-file"},
	{name: "no memory", args: []string{"--memory-limit=1"}, says: "memory-limit"},
	{name: "little memory", args: []string{"--memory-limit=16MiB"}, says: "memory-limit"},
	{name: "adaptive limit above the threads", args: []string{"--nthreads=2", "--adaptive-min=3"}, says: "adaptive-min"},
	{name: "no docroot", args: []string{"--docroot=DIR/none"}, says: "docroot", early: true},
	{name: "no init script", args: []string{"--init-script=DIR/none"}, says: "init-script", early: true},
	{name: "init script that fails", args: []string{"--init-script=DIR/bad.lua"}, says: "init script"},
	{name: "no directory of scripts", args: []string{"--init-script=DIR/good.lua", "--lua-roots=DIR/none"}, says: "lua-roots", early: true},
	{name: "no directory of a mount", file: "[[mount]]\npath = \"/m\"\ndir = \"none\"", says: "mount /m", early: true},
	{name: "file as a mount", file: "[[mount]]\npath = \"/m\"\ndir = \"text\"", says: "mount /m", early: true},
	{name: "mount below a mount", file: "[[mount]]\npath = \"/iiif/3/m\"", says: "hides the other", early: true},
	{name: "mount in the way", file: "[[mount]]\npath = \"/viewer\"", says: "the server's own", early: true},
	{name: "mount with a query", file: "[[mount]]\npath = \"/a?b\"", says: "must look like", early: true},
	{name: "docroot in the way of a mount", args: []string{"--docroot=DIR", "--docroot-route=/iiif/3"}, says: "is a mount"},
}

// TestRefused holds config check and serve together: what one refuses, the
// other does.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"text": "nothing", "bad.lua": "error('no')", "good.lua": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"--listen=127.0.0.1:0", "--operator-listen=127.0.0.1:0", "--cache-dir", t.TempDir()}
			for _, a := range c.args {
				args = replaceFlag(args, strings.ReplaceAll(a, "DIR", dir))
			}
			if c.file != "" {
				file := filepath.Join(t.TempDir(), "iiifd.toml")
				if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, "--config", file)
			}
			args = append(args, dir)
			status, out, said := invoke(t, nil, append([]string{"config", "check"}, args...)...)
			if status != exitFailed || out != "" || !strings.Contains(said, c.says) {
				t.Errorf("config check: status %d, %q, %q; want %q", status, out, said, c.says)
			}
			// A server that starts none the less is not to serve for ever.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var stdout, stderr lines
			status = (&program{args: append([]string{"serve"}, args...), stdout: &stdout, stderr: &stderr}).run(ctx)
			if status != exitFailed || !strings.Contains(stderr.String(), c.says) {
				t.Errorf("serve: status %d, %q; want %q", status, stderr.String(), c.says)
			}
			if c.early && strings.Contains(stderr.String(), `"msg"`) {
				t.Errorf("serve logs before it refuses: %s", stderr.String())
			}
		})
	}
}

// replaceFlag adds a flag, in the place of one of the same name.
func replaceFlag(args []string, flag string) []string {
	name, _, _ := strings.Cut(flag, "=")
	for i, a := range args {
		if strings.HasPrefix(a, name+"=") {
			args[i] = flag
			return args
		}
	}
	return append(args, flag)
}

// TestCheckBesideAServer wants neither a taken address nor a made token or a
// cache to stand in the way of a check, nor the check in theirs.
func TestCheckBesideAServer(t *testing.T) {
	dir := t.TempDir()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	runtime := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	unused := filepath.Join(t.TempDir(), "cache")
	taken := l.Addr().String()
	args := []string{"--listen", taken, "--operator-listen", taken, "--cache-dir", unused, dir}
	if status, out, said := invoke(t, nil, append([]string{"config", "check"}, args...)...); status != exitDone || out != "ok\n" || said != "" {
		t.Errorf("config check: status %d, %q, %q", status, out, said)
	}
	for _, made := range []string{runtime, filepath.Dir(unused)} {
		if left, err := os.ReadDir(made); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	var stderr lines
	p := &program{args: append([]string{"serve"}, args...), stdout: &stderr, stderr: &stderr}
	if status := p.run(t.Context()); status != exitFailed || !strings.Contains(stderr.String(), "address already in use") || strings.Contains(stderr.String(), `"msg"`) {
		t.Errorf("serve on a taken port: status %d, %q", status, stderr.String())
	}
}
