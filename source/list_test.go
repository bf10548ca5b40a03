package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/iiifd/source"
)

func identifiers(l source.Listing) (out []string) {
	for _, e := range l.Entries {
		out = append(out, e.Identifier)
	}
	return out
}

func TestListPages(t *testing.T) {
	files := map[string]string{"sub/inner.tif": "", "z/y.tif": "", ".hidden": "", "B.tif": ""}
	for i := range 7 {
		files[fmt.Sprintf("f%d.tif", i)] = ""
	}
	d := directory(t, tree(t, files), source.Config{})
	ctx := context.Background()
	var all []string
	after := ""
	for range 10 {
		l, err := d.List(ctx, "", "", after, 3)
		if err != nil {
			t.Fatal(err)
		}
		if l.Total != 10 {
			t.Fatalf("total %d, want 10", l.Total)
		}
		all = append(all, identifiers(l)...)
		if after = l.Next; after == "" {
			break
		}
	}
	want := "[sub z B.tif f0.tif f1.tif f2.tif f3.tif f4.tif f5.tif f6.tif]"
	if fmt.Sprint(all) != want {
		t.Errorf("listed %v, want %s", all, want)
	}
	l, err := d.List(ctx, "sub", "", "", 10)
	if err != nil || fmt.Sprint(identifiers(l)) != "[sub/inner.tif]" {
		t.Errorf("folder: %v, %v", identifiers(l), err)
	}
	for _, dir := range []string{"..", "none", "B.tif", "sub/..", "/"} {
		if _, err := d.List(ctx, dir, "", "", 10); !errors.Is(err, source.ErrNotFound) {
			t.Errorf("List(%q) = %v, want ErrNotFound", dir, err)
		}
	}
}

func TestListSeesNewFiles(t *testing.T) {
	dir := tree(t, map[string]string{"a.tif": ""})
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	d := directory(t, dir, source.Config{})
	for i, want := range []string{"[a.tif]", "[a.tif b.tif]", "[a.tif b.tif c.tif]"} {
		if i > 0 {
			if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".tif"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		l, err := d.List(context.Background(), "", "", "", 10)
		if err != nil || fmt.Sprint(identifiers(l)) != want {
			t.Errorf("listed %v, %v, want %s", identifiers(l), err, want)
		}
	}
}

func TestSearchWalksFolders(t *testing.T) {
	d := directory(t, tree(t, map[string]string{
		"Map.tif": "", "a/map 1.tif": "", "a/b/MAP 2.jp2": "", "a/other.tif": "", "maps/x.tif": "", "z.tif": "", ".map": "",
	}), source.Config{})
	var all []string
	after, pages := "", 0
	for {
		l, err := d.List(context.Background(), "", "mAp", after, 2)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, identifiers(l)...)
		pages++
		if after = l.Next; after == "" || pages > 10 {
			break
		}
	}
	if want := "[Map.tif a/b/MAP 2.jp2 a/map 1.tif maps/x.tif]"; fmt.Sprint(all) != want {
		t.Errorf("found %v, want %s", all, want)
	}
	l, err := d.List(context.Background(), "a", "map", "", 10)
	if err != nil || fmt.Sprint(identifiers(l)) != "[a/b/MAP 2.jp2 a/map 1.tif]" {
		t.Errorf("below a folder: %v, %v", identifiers(l), err)
	}
}
