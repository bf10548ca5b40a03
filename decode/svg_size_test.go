package decode

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/iiifd/source"
)

// TestSVGBeyondLibvips wants no drawing to become one pixel because libvips
// cannot hold its size.
func TestSVGBeyondLibvips(t *testing.T) {
	engine := startEngine(t)
	dir := t.TempDir()
	src, err := source.NewDirectory(dir, source.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for attributes, width := range map[string]int{
		`width="10000000" height="3"`:           10_000_000,
		`width="1" height="3"`:                  1,
		`width="10000001" height="3"`:           0,
		`width="3" height="1e9"`:                0,
		`viewBox="0 0 1000000000 1000000000"`:   0,
		`style="width:1000000000px;height:3px"`: 0,
	} {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" ` + attributes + `><rect width="2" height="2"/></svg>`
		if err := os.WriteFile(filepath.Join(dir, "a.svg"), []byte(svg), 0o600); err != nil {
			t.Fatal(err)
		}
		obj, err := src.Open(t.Context(), "a.svg")
		if err != nil {
			t.Fatal(err)
		}
		s, err := engine.Shape(t.Context(), obj)
		if width > 0 && (err != nil || s.Width != width) || width == 0 && !IsKind(err, Unsupported) {
			t.Errorf("%s: %d × %d, %v", attributes, s.Width, s.Height, err)
		}
		if err := obj.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
