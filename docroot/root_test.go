package docroot

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// tree makes a docroot inside a directory that holds a secret.
func tree(t *testing.T) (outside, docroot string) {
	t.Helper()
	outside = t.TempDir()
	docroot = filepath.Join(outside, "www")
	write(t, filepath.Join(outside, "secret.txt"), "secret")
	for name, text := range map[string]string{
		"index.html": "top", "a.txt": "a", "a b+c.txt": "plus", "ü.txt": "u", "x.LUA": "", "x.lua": "", "x.elua": "",
		"both/index.html": "html", "both/index.elua": "", "both/index.lua": "",
		"scripts/index.elua": "", "scripts/index.lua": "", "lua/index.lua": "", "none/a.txt": "a",
		".hidden": "h", ".git/config": "g", ".well-known/security.txt": "w", "none/.well-known/x": "x", "..data/real.txt": "real",
	} {
		write(t, filepath.Join(docroot, name), text)
	}
	return outside, docroot
}

func newRoot(t *testing.T, docroot, route string) *Root {
	t.Helper()
	r, err := New(Config{Docroot: docroot, Route: route, CacheControl: "no-cache"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestLookup(t *testing.T) {
	_, docroot := tree(t)
	r := newRoot(t, docroot, "/server")
	for _, c := range []struct {
		path string
		kind Kind
		name string
	}{
		{"/server/", KindStatic, "index.html"},
		{"/server/a.txt", KindStatic, "a.txt"},
		{"/server/a%20b+c.txt", KindStatic, "a b+c.txt"},
		{"/server/%C3%BC.txt", KindStatic, "ü.txt"},
		{"/server/%61.txt", KindStatic, "a.txt"},
		{"/server/x.lua", KindLua, "x.lua"},
		{"/server/x.LUA", KindLua, "x.LUA"},
		{"/server/x.elua", KindElua, "x.elua"},
		{"/server/both/", KindStatic, "both/index.html"},
		{"/server/scripts/", KindElua, "scripts/index.elua"},
		{"/server/lua/", KindLua, "lua/index.lua"},
		{"/server/.well-known/security.txt", KindStatic, ".well-known/security.txt"},
	} {
		f, kind := r.Lookup(c.path)
		if kind != c.kind || f.Name() != c.name {
			t.Errorf("%s is %v %q, want %v %q", c.path, kind, f.Name(), c.kind, c.name)
		}
		if f.Path() != filepath.Join(docroot, c.name) {
			t.Errorf("%s lies at %s", c.path, f.Path())
		}
	}
}

func TestLookupRefuses(t *testing.T) {
	outside, docroot := tree(t)
	link(t, "../secret.txt", filepath.Join(docroot, "out.txt"))
	link(t, filepath.Join(outside, "secret.txt"), filepath.Join(docroot, "absolute.txt"))
	link(t, "..", filepath.Join(docroot, "up"))
	link(t, "x.lua", filepath.Join(docroot, "lua.txt"))
	link(t, "x.elua", filepath.Join(docroot, "elua.txt"))
	link(t, "loop", filepath.Join(docroot, "loop"))
	if err := syscall.Mkfifo(filepath.Join(docroot, "pipe.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRoot(t, docroot, "/server")
	for _, path := range []string{
		"", "/", "/a.txt", "/serverx/a.txt", "/server/absent", "/server/none/", "/server/none", "/server/a.txt/", "/server/a.txt/b",
		"/server/a.txt%00", "/server/%00", "/server/a%00.lua", "/server/a%0A.txt", "/server/a.txt%7F",
		"/server/../secret.txt", "/server/..", "/server/none/../a.txt", "/server/%2e%2e/secret.txt", "/server/./a.txt", "/server/%2E/a.txt",
		"/server/none%2Fa.txt", "/server/none%2fa.txt", "/server/..%2Fsecret.txt", "/server/..%5Csecret.txt", "/server/%5Ca.txt",
		"/server//a.txt", "/server/none//a.txt", "/server//", "/server/%", "/server/%zz", "/server/%FF.txt", "/server/%252e%252e/secret.txt",
		"/server/.hidden", "/server/.git/config", "/server/%2Ehidden", "/server/.git/", "/server/none/.well-known/x", "/server/..data/real.txt",
		"/server/out.txt", "/server/absolute.txt", "/server/up/secret.txt", "/server/up/", "/server/lua.txt", "/server/elua.txt", "/server/loop", "/server/pipe.txt",
		"/server/" + strings.Repeat("a", 300), "/server" + strings.Repeat("/a", 5000),
	} {
		if f, kind := r.Lookup(path); kind != KindNone || f != (File{}) {
			t.Errorf("%q is %v %q", path, kind, f.Name())
		}
	}
}

// A Kubernetes ConfigMap is links through a directory with leading dots.
func TestLookupFollowsLinksInside(t *testing.T) {
	_, docroot := tree(t)
	link(t, "..data/real.txt", filepath.Join(docroot, "mounted.txt"))
	link(t, "both", filepath.Join(docroot, "linked"))
	r := newRoot(t, docroot, "/")
	for path, want := range map[string]string{"/mounted.txt": "real", "/linked/": "html"} {
		f, kind := r.Lookup(path)
		if kind != KindStatic {
			t.Fatalf("%s is %v", path, kind)
		}
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		file.Close()
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}
}

func TestLookupRouteAtTop(t *testing.T) {
	_, docroot := tree(t)
	r := newRoot(t, docroot, "/")
	for path, want := range map[string]string{"/": "index.html", "/a.txt": "a.txt", "/both/": "both/index.html"} {
		if f, kind := r.Lookup(path); kind != KindStatic || f.Name() != want {
			t.Errorf("%s is %v %q", path, kind, f.Name())
		}
	}
}

func TestLookupWithoutDocroot(t *testing.T) {
	r := newRoot(t, "", "/server")
	if _, kind := r.Lookup("/server/"); kind != KindNone || r.Enabled() {
		t.Errorf("an empty docroot serves %v", kind)
	}
}

// A release is often published by turning a link.
func TestLookupSeesAnotherDocroot(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one", "a.txt"), "1")
	write(t, filepath.Join(dir, "two", "a.txt"), "22")
	current := filepath.Join(dir, "current")
	link(t, "one", current)
	r := newRoot(t, current, "/")
	before, _ := r.Lookup("/a.txt")
	if err := os.Remove(current); err != nil {
		t.Fatal(err)
	}
	if _, kind := r.Lookup("/a.txt"); kind != KindNone {
		t.Error("a docroot that is gone serves")
	}
	link(t, "two", current)
	after, _ := r.Lookup("/a.txt")
	if before.Size() != 1 || after.Size() != 2 {
		t.Errorf("sizes are %d before and %d after", before.Size(), after.Size())
	}
	old, err := before.Open()
	if err != nil {
		t.Fatalf("a file found before cannot be opened: %v", err)
	}
	old.Close()
}

// FuzzLookup opens whatever is found: it must lie inside and be no dotfile.
func FuzzLookup(f *testing.F) {
	outside := f.TempDir()
	docroot := filepath.Join(outside, "www")
	for _, name := range []string{"secret", "www/a", "www/d/index.html", "www/.h", "www/s.lua"} {
		full := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(name), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	r, err := New(Config{Docroot: docroot, Route: "/"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"/a", "/d/", "/d", "/.h", "/%2e%2e/secret", "/..%2fsecret", "/a%00", "/s.lua", "//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		file, kind := r.Lookup(path)
		if kind == KindNone || file.redirect != "" {
			return
		}
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		switch string(text) {
		case "www/a", "www/d/index.html":
		case "www/s.lua":
			if kind != KindLua {
				t.Fatalf("%q is %v", path, kind)
			}
		default:
			t.Fatalf("%q reaches %s", path, text)
		}
	})
}
