package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.com/iiifd/testimages"
)

func TestReadmeIsCurrent(t *testing.T) {
	got, err := os.ReadFile(filepath.Join(testimages.Dir(), "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != readme() {
		t.Error("README.md differs from the manifest: go run ./testimages/gen")
	}
}

// TestRecipesAndManifestAgree: a recipe for each file and a file for each
// recipe.
func TestRecipesAndManifestAgree(t *testing.T) {
	files := testimages.All()
	for _, f := range files {
		if recipes[f.Name] == nil {
			t.Errorf("%s: no recipe", f.Name)
		}
	}
	if len(recipes) != len(files) {
		t.Errorf("%d recipes for %d files", len(recipes), len(files))
	}
}

// TestOwnEncodersAreStable writes the samples that need no tool and compares
// them with the committed ones.
func TestOwnEncodersAreStable(t *testing.T) {
	names := []string{
		"jpeg-ycck.jpg", "png-interlaced.png", "tiff-lab.tif", "tiff-float.tif", "tiff-bigtiff-big-endian.tif",
		"tiff-document-pyramid.tif", "gif-animated.gif", "pdf-document.pdf", "svg-card.svg",
	}
	out := t.TempDir()
	if err := run(t.Context(), out, names); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(testimages.Path(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes than the committed file's", name)
		}
	}
}
