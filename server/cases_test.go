package server_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pixel is the colour of the test picture at a place: no two neighbours and
// no two rows are alike.
func pixel(x, y int) color.NRGBA {
	return color.NRGBA{R: uint8(x), G: uint8(y), B: uint8(x>>8<<6 | y>>8<<4), A: 255}
}

func drawn(w, h int, gray bool) image.Image {
	if gray {
		m := image.NewGray(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				m.SetGray(x, y, color.Gray{Y: uint8(x + 3*y)})
			}
		}
		return m
	}
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, pixel(x, y))
		}
	}
	return m
}

// cases writes the files that the scripts ask for: I is the 1000×800 image
// of the requirements.
func cases(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	save := func(name string, m image.Image) {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			tb.Fatal(err)
		}
		f, err := os.Create(p)
		if err != nil {
			tb.Fatal(err)
		}
		if err := png.Encode(f, m); err != nil {
			tb.Fatal(err)
		}
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
		at := time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)
		if err := os.Chtimes(p, at, at); err != nil {
			tb.Fatal(err)
		}
	}
	save("I", drawn(1000, 800, false))
	save("square.png", drawn(300, 300, false))
	save("gray.png", drawn(300, 200, true))
	save("tiny.png", drawn(3, 2, false))
	save("line.png", drawn(2000, 9, false))
	small := drawn(60, 40, false)
	for _, name := range []string{
		"sub/inner.png", "per%cent.png", "hash#q?.png", "pl+us.png", "sp ace.png", "caf\u00e9.png", "a..b.png", "semi;colon.png",
		"ark:/12025/654xz321", "urn:sici:1:%3C69", "[frob]", "back\\slash.png", "quote\"<b>.png", "percent%2Fslash.png",
	} {
		save(name, small)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "I"))
	if err != nil {
		tb.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cut.png": whole[:len(whole)/2], "text.txt": []byte("not a picture"), "empty.png": nil,
		"sub/inner.png.info": []byte(`{"originalFilename":"inner original.png","originalMimeType":"image/png","checksumOriginal":"c0ffee"}`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}
