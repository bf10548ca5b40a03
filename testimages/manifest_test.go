package testimages_test

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"example.com/iiifd/testimages"
)

// byVips decodes a page upright with libvips' tool, to sRGB with 8 bits.
func byVips(t *testing.T, f testimages.File, page int) image.Image {
	t.Helper()
	in := testimages.Path(t, f.Name)
	if f.Pages > 1 {
		in += "[page=" + strconv.Itoa(page) + "]"
	}
	var steps [][]string
	if f.Orientation > 1 {
		steps = append(steps, []string{"autorot"})
	}
	switch {
	case f.Float && f.Bands == 1:
		steps = append(steps, []string{"linear", "255", "0.5"}, []string{"cast", "uchar"})
	case f.Bits == 32 && !f.Float:
		steps = append(steps, []string{"linear", strconv.FormatFloat(1.0/0x01010101, 'g', -1, 64), "0.5"}, []string{"cast", "uchar"})
	}
	if f.ICC != "" {
		steps = append(steps, []string{"icc_transform", "srgb", "--embedded"})
	} else {
		steps = append(steps, []string{"colourspace", "srgb"})
	}
	dir := t.TempDir()
	for i, step := range steps {
		out := filepath.Join(dir, strconv.Itoa(i)+".v")
		if i == len(steps)-1 {
			out = filepath.Join(dir, "out.png")
		}
		args := slices.Concat(step[:1], []string{in, out}, step[1:])
		if msg, err := exec.CommandContext(t.Context(), "vips", args...).CombinedOutput(); err != nil {
			t.Fatalf("vips %q: %v: %s", args, err, msg)
		}
		in = out
	}
	return decode(t, in)
}

func decode(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestSamplesShowTheirPicture decodes every readable sample with libvips'
// tool and compares each page.
func TestSamplesShowTheirPicture(t *testing.T) {
	if _, err := exec.LookPath("vips"); err != nil {
		t.Skip("needs the vips tool (Debian: libvips-tools)")
	}
	for _, f := range testimages.All() {
		if !f.Readable || f.Named() {
			continue // those with hard names are read below
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for page := range f.Pages {
				got, want := byVips(t, f, page), testimages.ReferencePage(f.Name, page)
				testimages.Equal(t, got, want, f.Tolerance)
				t.Logf("page %d: %v", page, testimages.Compare(got, want))
			}
		})
	}
}

// TestStandardDecodersAgree reads the samples that Go's own decoders know.
func TestStandardDecodersAgree(t *testing.T) {
	read := 0
	for _, f := range testimages.All() {
		data, err := os.ReadFile(testimages.Path(t, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		img, format, err := image.Decode(bytes.NewReader(data))
		if err != nil || misread[f.Name] {
			continue // a kind or variant they do not know
		}
		read++
		if want := string(f.Kind); format != want {
			t.Errorf("%s: sniffed as %s, want %s", f.Name, format, want)
		}
		w, h := f.Stored()
		if got := img.Bounds().Size(); got != image.Pt(w, h) {
			t.Errorf("%s: stored size %v, want %d×%d", f.Name, got, w, h)
			continue
		}
		if f.Lossless {
			got := testimages.Orient(img, testimages.Inverse(f.Orientation))
			// Less than a step of 8 bits: 16 bits with alpha multiplied in round.
			if d := testimages.Compare(got, f.Picture(0)); d.Max > 0.1 {
				t.Errorf("%s: %v", f.Name, d)
			}
		}
	}
	if read < 60 {
		t.Errorf("only %d samples could be read", read)
	}
	t.Logf("%d samples read", read)
}

// misread are the samples that golang.org/x/image decodes without an error
// but wrongly: it inverts CCITT data where black is zero, libtiff does not.
var misread = map[string]bool{"tiff-g4-black-is-zero.tif": true}

// TestCardIsAsymmetric: no two orientations of a card look alike, by far.
func TestCardIsAsymmetric(t *testing.T) {
	for _, style := range []testimages.Style{testimages.Gradient, testimages.Flat, testimages.Paper} {
		card := testimages.Card{Width: 211, Height: 211, Style: style}.Draw()
		for a := 1; a <= 8; a++ {
			for b := a + 1; b <= 8; b++ {
				if d := testimages.Compare(testimages.Orient(card, a), testimages.Orient(card, b)); d.Mean < 10 {
					t.Errorf("style %d: orientations %d and %d differ by %v only", style, a, b, d)
				}
			}
		}
	}
}

// TestOrientRoundTrip: Inverse undoes Orient.
func TestOrientRoundTrip(t *testing.T) {
	card := testimages.Card{Width: 211, Height: 173}.Draw()
	for o := 1; o <= 8; o++ {
		back := testimages.Orient(testimages.Orient(card, o), testimages.Inverse(o))
		testimages.Equal(t, back, card, testimages.Exact)
	}
}

// TestCompareSeesOnePixel: a picture moved by a pixel is not within the
// tolerance of lossy kinds.
func TestCompareSeesOnePixel(t *testing.T) {
	card := testimages.Card{Width: 611, Height: 397}.Draw()
	moved := image.NewNRGBA(card.Rect)
	draw.Draw(moved, moved.Rect, card, image.Pt(1, 0), draw.Src)
	f, ok := testimages.Lookup("jpeg-420.jpg")
	if !ok {
		t.Fatal("no jpeg-420.jpg")
	}
	if d := testimages.Compare(moved, card); d.Within(f.Tolerance) {
		t.Errorf("a shift by one pixel passes: %v", d)
	}
}
