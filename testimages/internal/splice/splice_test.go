package splice_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/testimages/internal/photo"
	"example.com/iiifd/testimages/internal/splice"
)

// TestPNG: the rows repeat, whatever part of them the last block needs.
func TestPNG(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, period := rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "period")
		height := rapid.IntRange(1, 50).Draw(t, "height")
		n := width * 3 * period
		rows := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "rows")
		var buf bytes.Buffer
		if err := splice.PNG(&buf, width, height, rows); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&buf)
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); got != image.Pt(width, height) {
			t.Fatalf("size %v, want %d×%d", got, width, height)
		}
		for y := range height {
			for x := range width {
				at := (y%period*width + x) * 3
				want := color.RGBA{rows[at], rows[at+1], rows[at+2], 255}
				if got := img.At(x, y); got != want {
					t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want)
				}
			}
		}
	})
}

// TestJPEGRows: each row of the long picture is that of the strip, for
// baseline and progressive files and heights that cut blocks.
func TestJPEGRows(t *testing.T) {
	for _, tool := range []string{"cjpeg", "djpeg"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	const width, rows, stride = 203, 48, 203 * 3
	ppm := append([]byte("P6\n203 48\n255\n"), photo.New().Rows(width, rows)...)
	for _, kind := range []string{"-baseline", "-progressive"} {
		strip := pipe(t, ppm, "cjpeg", "-restart", "1", "-sample", "2x2", kind)
		want := samples(t, strip, width, rows)
		for _, height := range []int{16, 47, 48, 49, 100, 137, 500} {
			var buf bytes.Buffer
			if err := splice.JPEGRows(&buf, strip, height); err != nil {
				t.Fatalf("%s, %d rows: %v", kind, height, err)
			}
			got := samples(t, buf.Bytes(), width, height)
			for y := range height {
				from := y % rows * stride
				if !bytes.Equal(got[y*stride:(y+1)*stride], want[from:from+stride]) {
					t.Fatalf("%s, %d rows: row %d differs", kind, height, y)
				}
			}
		}
	}
}

// samples decodes without smoothing across blocks; damage makes djpeg fail
// or warn.
func samples(t *testing.T, file []byte, width, height int) []byte {
	t.Helper()
	ppm := pipe(t, file, "djpeg", "-nosmooth", "-dct", "int")
	head := fmt.Appendf(nil, "P6\n%d %d\n255\n", width, height)
	if !bytes.HasPrefix(ppm, head) || len(ppm) != len(head)+width*height*3 {
		t.Fatalf("decodes to %q… of %d bytes, want %d×%d", ppm[:min(len(ppm), 20)], len(ppm), width, height)
	}
	return ppm[len(head):]
}

// pipe runs a tool that must have nothing to complain of.
func pipe(t *testing.T, in []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s %q: %v: %s", name, args, err, stderr.Bytes())
	}
	return out
}

// TestRefusals: what is not of the expected structure is an error, never a
// panic, cut off wherever it may be.
func TestRefusals(t *testing.T) {
	for _, name := range []string{"jpeg-420.jpg", "jpeg-restart.jpg", "jp2-tiled.jp2", "jp2-lossy-untiled.jp2"} {
		whole, err := os.ReadFile(filepath.Join("..", "..", "images", name))
		if err != nil {
			t.Fatal(err)
		}
		for n := 2; n < len(whole); n += 1 + n/50 {
			var out bytes.Buffer
			if splice.JPEGRows(&out, whole[:n], 500) == nil || splice.JP2Tiles(&out, whole[:n], 1024, 5000, 5000) == nil ||
				splice.JP2Levels(&out, whole[:n], 5000, 5000, 2) == nil {
				t.Errorf("%s cut at %d: no error", name, n)
			}
		}
	}
}
