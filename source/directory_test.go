package source_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/iiifd/source"
)

// tree writes files (name → content) below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func directory(t *testing.T, dir string, cfg source.Config) *source.Directory {
	t.Helper()
	d, err := source.NewDirectory(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func content(t *testing.T, d source.Source, identifier string) string {
	t.Helper()
	obj, err := d.Open(context.Background(), identifier)
	if err != nil {
		t.Fatalf("Open(%q): %v", identifier, err)
	}
	defer obj.Close()
	b, err := io.ReadAll(io.NewSectionReader(obj, 0, obj.Info().Size))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNamesAreExact(t *testing.T) {
	files := map[string]string{
		"plain.tif": "plain", "a b.tif": "space", "pl+us.tif": "plus", "hash#q?.tif": "hash", "per%cent.tif": "percent",
		"per%2Fcent.tif": "percent slash", "se;mi.tif": "semicolon", "a..b.jpg": "dots", "sub/inner.tif": "inner",
		"caf\u00e9.tif": "nfc", "re\u0301sume\u0301.tif": "nfd", "a;2": "file", "a": "page", "back\\slash.tif": "backslash",
	}
	d := directory(t, tree(t, files), source.Config{})
	for name, want := range files {
		if got := content(t, d, name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := content(t, d, "cafe\u0301.tif"); got != "nfc" {
		t.Errorf("the other normal form found %q", got)
	}
	if got := content(t, d, "r\u00e9sum\u00e9.tif"); got != "nfd" {
		t.Errorf("the other normal form found %q", got)
	}
}

func TestNothingOutsideIsFound(t *testing.T) {
	outside := tree(t, map[string]string{"secret": "secret"})
	dir := tree(t, map[string]string{"in.tif": "in", "sub/x.tif": "x", ".hidden": "hidden", ".git/config": "hidden"})
	for link, target := range map[string]string{
		"out": filepath.Join(outside, "secret"), "outdir": outside, "up": "../" + filepath.Base(outside) + "/secret",
		"inside": "in.tif", "loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	d := directory(t, dir, source.Config{})
	for _, id := range []string{
		"", ".", "..", "../" + filepath.Base(outside) + "/secret", "sub/../in.tif", "/etc/passwd", "//in.tif", "sub//x.tif", "sub/",
		"in.tif/", "in.tif/x", "out", "outdir/secret", "up", "loop", "in.tif\x00", "in.tif\n", "\xff", ".hidden", ".git/config",
		"sub", `..\secret`, string(make([]byte, 5000)),
	} {
		if _, err := d.Stat(context.Background(), id); !errors.Is(err, source.ErrNotFound) {
			t.Errorf("Stat(%.40q) = %v, want ErrNotFound", id, err)
		}
		if obj, err := d.Open(context.Background(), id); !errors.Is(err, source.ErrNotFound) {
			t.Errorf("Open(%.40q) = %v, %v, want ErrNotFound", id, obj, err)
		}
	}
	if got := content(t, d, "inside"); got != "in" {
		t.Errorf("a link that stays inside gave %q", got)
	}
}

func TestPages(t *testing.T) {
	d := directory(t, tree(t, map[string]string{"doc.tif": "doc", "odd;3": "odd"}), source.Config{Extensions: []string{"jp2", "tif"}})
	for id, want := range map[string]int{"doc.tif": -1, "doc.tif;1": 0, "doc.tif;12": 11, "doc;2": 1, "doc": -1, "odd;3": -1} {
		info, err := d.Stat(context.Background(), id)
		if err != nil || info.Page != want {
			t.Errorf("%q: page %d, %v, want %d", id, info.Page, err, want)
		}
	}
	for _, id := range []string{"doc.tif;0", "doc.tif;-1", "doc.tif;01", "doc.tif;", "doc.tif;x", "doc.tif;1;1", ";1", "doc.tif;99999999999999999999"} {
		if _, err := d.Stat(context.Background(), id); !errors.Is(err, source.ErrNotFound) {
			t.Errorf("%q: %v, want ErrNotFound", id, err)
		}
	}
}

func TestExactNameWinsOverExtension(t *testing.T) {
	d := directory(t, tree(t, map[string]string{"a": "exact", "a.tif": "tif", "b.jp2": "jp2", "b.tif": "tif"}), source.Config{Extensions: []string{"tif", "jp2"}})
	for id, want := range map[string]string{"a": "exact", "b": "tif"} {
		if got := content(t, d, id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

func TestReplacedFile(t *testing.T) {
	dir := tree(t, map[string]string{"a.tif": "old"})
	d := directory(t, dir, source.Config{})
	ctx := context.Background()
	old, err := d.Open(ctx, "a.tif")
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := os.WriteFile(filepath.Join(dir, "new"), []byte("newer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "a.tif")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 3)
	if _, err := old.ReadAt(b, 0); err != nil || string(b) != "old" {
		t.Errorf("an opened object read %q, %v after its name was given away", b, err)
	}
	if byPath, err := os.ReadFile(old.Path()); err != nil || string(byPath) != "old" {
		t.Errorf("its path read %q, %v", byPath, err)
	}
	if err := old.Verify(); err != nil {
		t.Errorf("Verify of the unchanged old file: %v", err)
	}
	info, err := d.Stat(ctx, "a.tif")
	if err != nil || info.Version == old.Info().Version || info.Key == old.Info().Key {
		t.Errorf("the new file has version %q, %v", info.Version, err)
	}
	if got := content(t, d, "a.tif"); got != "newer" {
		t.Errorf("the new file read %q", got)
	}
}

func TestVerifySeesChangeInPlace(t *testing.T) {
	dir := tree(t, map[string]string{"a.tif": "old"})
	d := directory(t, dir, source.Config{})
	obj, err := d.Open(context.Background(), "a.tif")
	if err != nil {
		t.Fatal(err)
	}
	defer obj.Close()
	if err := os.WriteFile(filepath.Join(dir, "a.tif"), []byte("xxx"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "a.tif"), time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := obj.Verify(); !errors.Is(err, source.ErrChanged) {
		t.Errorf("Verify = %v, want ErrChanged", err)
	}
}
