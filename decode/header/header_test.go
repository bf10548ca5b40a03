package header

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/decode/plan"
)

// brief is a shape in the words of the tables below.
func brief(s plan.Shape) string {
	w := []string{fmt.Sprintf("%s %dx%d bands=%d bits=%d %s", s.Loader, s.Width, s.Height, s.Bands, s.BitsPerSample, s.Colour)}
	add := func(on bool, format string, args ...any) {
		if on {
			w = append(w, fmt.Sprintf(format, args...))
		}
	}
	add(s.Sample != plan.SampleUint, "%s", s.Sample)
	add(s.Orientation != 1, "orientation=%d", s.Orientation)
	add(s.Subsampling != "", "%s", s.Subsampling)
	add(s.Compression != "", "%s", s.Compression)
	add(s.Alpha, "alpha")
	add(s.Palette, "palette")
	add(s.Planar, "planar")
	add(s.Progressive, "progressive")
	add(s.Lossless, "lossless")
	add(s.Animated, "animated")
	add(s.ICCBytes > 0, "icc")
	add(s.SRGB, "srgb")
	add(s.RestartInterval > 0, "restart=%d", s.RestartInterval)
	add(s.Pages != 1, "pages=%d", s.Pages)
	add(s.Page != 0, "page=%d", s.Page)
	add(s.CodeBlockWidth > 0, "blocks=%dx%d res=%d parts=%d layers=%d", s.CodeBlockWidth, s.CodeBlockHeight, s.Resolutions, s.TileParts, s.Layers)
	add(s.Precincts, "precincts")
	return strings.Join(w, " ")
}

func levels(s plan.Shape) string {
	var w []string
	for _, l := range s.Levels {
		t := fmt.Sprintf("%dx%d", l.Width, l.Height)
		if l.TileWidth > 0 {
			t += fmt.Sprintf("/%dx%d", l.TileWidth, l.TileHeight)
		}
		if l.Tiled {
			t += "t"
		}
		if l.Page != 0 || l.SubIFD >= 0 {
			t += fmt.Sprintf("@%d,%d", l.Page, l.SubIFD)
		}
		if l.JPEGTiles {
			t += "j"
		}
		w = append(w, t)
	}
	return strings.Join(w, " ")
}

func readBytes(b []byte, page int) (plan.Shape, error) {
	return Read(bytes.NewReader(b), int64(len(b)), page)
}

func TestReadFiles(t *testing.T) {
	for _, c := range []struct{ file, want, levels string }{
		{"exif6-srgb.jpg", "jpeg 45x31 bands=3 bits=8 ycbcr orientation=6 4:2:0 icc srgb", "45x31"},
		{"progressive-422.jpg", "jpeg 45x31 bands=3 bits=8 ycbcr 4:2:2 progressive", "45x31"},
		{"cmyk.jpg", "jpeg 45x31 bands=4 bits=8 cmyk 4:4:4", "45x31"},
		{"restart-444.jpg", "jpeg 45x31 bands=3 bits=8 ycbcr 4:4:4 restart=6", "45x31"},
		{"gray.jpg", "jpeg 45x31 bands=1 bits=8 gray", "45x31"},
		{"exif6-srgb.png", "png 45x31 bands=3 bits=8 rgb orientation=6 lossless icc srgb", "45x31"},
		{"palette-trns.png", "png 45x31 bands=4 bits=8 rgb alpha palette lossless", "45x31"},
		{"gray-alpha.png", "png 45x31 bands=2 bits=8 gray alpha lossless", "45x31"},
		{"one-bit.png", "png 45x31 bands=1 bits=1 gray lossless", "45x31"},
		{"exif6.webp", "webp 45x31 bands=3 bits=8 ycbcr orientation=6 4:2:0", "45x31"},
		{"lossy.webp", "webp 45x31 bands=3 bits=8 ycbcr 4:2:0", "45x31"},
		{"alpha-lossless.webp", "webp 45x31 bands=4 bits=8 rgb alpha lossless", "45x31"},
		{"animated.webp", "webp 45x31 bands=3 bits=8 ycbcr 4:2:0 animated pages=3", "45x31"},
		{"animated.gif", "gif 45x31 bands=4 bits=8 rgb alpha palette lossless animated pages=3", "45x31"},
		{"still.gif", "gif 45x31 bands=3 bits=8 rgb palette lossless", "45x31"},
		{"exif6.avif", "avif 31x45 bands=3 bits=8 ycbcr 4:2:0 srgb", "31x45"},
		{"alpha.avif", "avif 45x31 bands=4 bits=8 ycbcr 4:2:0 alpha srgb", "45x31"},
		{"s444.avif", "avif 45x31 bands=3 bits=8 ycbcr 4:4:4 srgb", "45x31"},
		{"ten-bit.avif", "avif 45x31 bands=3 bits=10 ycbcr 4:4:4", "45x31"},
		{"plain.heic", "heif 45x31 bands=3 bits=8 ycbcr 4:2:0", "45x31/64x64"},
		{"lossless.jxl", "jxl 45x31 bands=3 bits=8 rgb lossless srgb", "45x31"},
		{"lossy-container.jxl", "jxl 45x31 bands=3 bits=8 rgb srgb", "45x31"},
		{"gray.jxl", "jxl 45x31 bands=1 bits=8 gray srgb", "45x31"},
		{"alpha16.jxl", "jxl 45x31 bands=4 bits=16 rgb alpha icc", "45x31"},
		{"float.jxl", "jxl 45x31 bands=3 bits=32 rgb float icc", "45x31"},
		{"oriented.jxl", "jxl 31x45 bands=3 bits=8 rgb lossless srgb", "31x45"},
		{"gray16.jp2", "jp2 45x31 bands=1 bits=16 gray lossless srgb blocks=64x64 res=2 parts=1 layers=1", "45x31/45x31 23x16/23x16"},
		{"rgb.j2k", "jp2 45x31 bands=3 bits=8 rgb blocks=64x64 res=2 parts=1 layers=1 precincts", "45x31/45x31 23x16/23x16"},
		{"tiled.jp2", "jp2 45x31 bands=3 bits=8 rgb srgb blocks=64x64 res=1 parts=1 layers=1 precincts", "45x31/32x31t"},
		{"pyramid.tif", "tiff 45x31 bands=3 bits=8 ycbcr 4:2:0 jpeg", "45x31/16x16tj 22x15/16x16t@1,-1j 11x7/16x16t@2,-1j"},
		{"subifd.tif", "tiff 45x31 bands=3 bits=8 rgb deflate", "45x31/16x16t 22x15/16x16t@0,0 11x7/16x16t@0,1"},
	} {
		t.Run(c.file, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			s, err := readBytes(b, -1)
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(s); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := levels(s); got != c.levels {
				t.Errorf("levels %s, want %s", got, c.levels)
			}
			if s.FileSize != int64(len(b)) {
				t.Errorf("file size %d, want %d", s.FileSize, len(b))
			}
		})
	}
}

func TestPages(t *testing.T) {
	b, err := os.ReadFile("testdata/animated.gif")
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[int]error{-1: nil, 0: nil, 2: nil, 3: ErrNoPage} {
		s, err := readBytes(b, page)
		if !errors.Is(err, want) {
			t.Errorf("page %d: %v, want %v", page, err, want)
		}
		if err == nil && s.Page != max(0, page) {
			t.Errorf("page %d: got page %d", page, s.Page)
		}
	}
}

func TestUnknown(t *testing.T) {
	for text, want := range map[string]plan.Loader{
		"%PDF-1.7\n%\xe2\xe3": plan.LoaderPDF,
		"<?xml version=\"1.0\"?>\n<!-- drawing -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>": plan.LoaderSVG,
		"P6\n1 1\n255\nabc": plan.LoaderOther,
		"":                  plan.LoaderOther,
		"\xff":              plan.LoaderOther,
	} {
		s, err := readBytes([]byte(text), -1)
		if !errors.Is(err, ErrUnknown) || s.Loader != want {
			t.Errorf("%q: %q, %v; want %q, ErrUnknown", text, s.Loader, err, want)
		}
	}
}

// TestTruncated cuts every file at every length: the answer is the whole
// shape or an error, never another shape. Files whose metadata follows the
// pixels are the exception in the fields named.
func TestTruncated(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := readBytes(b, -1)
		if err != nil {
			t.Fatal(f, err)
		}
		for n := range b {
			s, err := readBytes(b[:n], -1)
			if err != nil {
				if !isCorrupt(err) && !errors.Is(err, ErrUnknown) {
					t.Fatalf("%s cut at %d: %v", f, n, err)
				}
				continue
			}
			if s.Width != whole.Width || s.Height != whole.Height || s.BitsPerSample != whole.BitsPerSample {
				t.Fatalf("%s cut at %d: %s, whole %s", f, n, brief(s), brief(whole))
			}
		}
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

func TestReadErrorIsPassedOn(t *testing.T) {
	want := errors.New("connection reset")
	_, err := Read(failing{want}, 1<<20, -1)
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if _, err := Read(failing{io.ErrClosedPipe}, 1<<20, 3); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, f := range []string{"exif6-srgb.jpg", "exif6-srgb.png", "pyramid.tif", "subifd.tif", "tiled.jp2", "lossy.webp", "exif6.avif", "lossless.jxl"} {
		data, err := os.ReadFile(filepath.Join("testdata", f))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(f, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readBytes(data, -1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
