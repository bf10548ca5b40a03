package decode

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/testimages"
)

// both renders a request on the short way and with libvips alone.
func both(t rapid.TB, e *Engine, o object, s plan.Shape, params string, edit func(*plan.Options)) (p plan.Plan, short, long []byte) {
	t.Helper()
	r, err := iiif.ParseParams(params, iiif.V3)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	options := e.PlanOptions()
	edit(&options)
	render := func() (plan.Plan, []byte) {
		p, err := plan.New(s, r, options)
		if err != nil {
			t.Fatalf("%s: %v", params, err)
		}
		var out bytes.Buffer
		if err := e.Render(context.Background(), o, p, &out); err != nil {
			t.Fatalf("%s (%s): %v: %s", params, p.Short, err, detail(err))
		}
		return p, out.Bytes()
	}
	p, short = render()
	options.ShortPath = false
	_, long = render()
	return p, short, long
}

// vipsFile converts a picture with the vips command.
func vipsFile(t testing.TB, im image.Image, suffix string) object {
	t.Helper()
	if _, err := exec.LookPath("vips"); err != nil {
		t.Skip("no vips command")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, pngOf(t, im), 0o600); err != nil {
		t.Fatal(err)
	}
	name, options, _ := cutSuffix(suffix)
	if b, err := exec.CommandContext(t.Context(), "vips", "copy", in, out+name+options).CombinedOutput(); err != nil {
		t.Fatalf("vips: %v: %s", err, b)
	}
	b, err := os.ReadFile(out + name)
	if err != nil {
		t.Fatal(err)
	}
	return objectOf(b)
}

// cutSuffix splits ".tif[tile]".
func cutSuffix(s string) (name, options string, ok bool) {
	for i := range s {
		if s[i] == '[' {
			return s[:i], s[i:], true
		}
	}
	return s, "", false
}

// scene is a picture with edges, gradients and grain.
func scene(w, h int) *image.NRGBA {
	im := pattern(w, h)
	seed := uint32(1)
	for i := 0; i < len(im.Pix); i += 4 {
		seed = seed*1664525 + 1013904223
		x, y := i/4%w, i/4/w
		im.Pix[i] = uint8(x*200/w) + uint8(seed>>27)
		im.Pix[i+1] = uint8(y*200/h) + uint8(seed>>26&31)
		im.Pix[i+2] = uint8((x/37+y/23)%2*150) + uint8(seed>>25&31)
	}
	return im
}

func grayScene(w, h int) *image.Gray {
	im := image.NewGray(image.Rect(0, 0, w, h))
	c := scene(w, h)
	for i := range im.Pix {
		im.Pix[i] = c.Pix[4*i+2]
	}
	return im
}

// shortSources are the kinds of source that have a short way.
func shortSources(t testing.TB) map[string]object {
	t.Helper()
	return map[string]object{
		"256":        vipsFile(t, scene(1301, 977), ".tif[tile,pyramid,compression=jpeg,Q=85,tile-width=256,tile-height=256]"),
		"128 subifd": vipsFile(t, scene(707, 1111), ".tif[tile,pyramid,subifd,compression=jpeg,Q=75,tile-width=128,tile-height=128]"),
		"wide tiles": vipsFile(t, scene(640, 500), ".tif[tile,compression=jpeg,Q=85,tile-width=320,tile-height=112]"),
		"4:4:4":      vipsFile(t, scene(611, 409), ".tif[tile,pyramid,compression=jpeg,Q=95,tile-width=256,tile-height=256]"),
		"rgb":        vipsFile(t, scene(611, 409), ".tif[tile,pyramid,compression=jpeg,Q=85,rgbjpeg,tile-width=128,tile-height=128]"),
		"gray":       vipsFile(t, grayScene(611, 409), ".tif[tile,pyramid,compression=jpeg,Q=85,tile-width=128,tile-height=128,bigtiff]"),
		"jp2":        vipsFile(t, scene(801, 603), ".jp2[tile-width=256,tile-height=256,lossless]"),
		"jp2 gray":   vipsFile(t, grayScene(801, 603), ".jp2[tile-width=256,tile-height=128]"),
	}
}

func decodedJPEG(t rapid.TB, b []byte) image.Image {
	t.Helper()
	im, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// drawRegion draws a region of a width × height picture that favours tiles.
func drawRegion(t *rapid.T, width, height int) iiif.Rect {
	if rapid.Bool().Draw(t, "tile") {
		side := rapid.SampledFrom([]int{64, 128, 256, 512}).Draw(t, "side") << rapid.IntRange(0, 2).Draw(t, "level")
		x := side * rapid.IntRange(0, (width-1)/side).Draw(t, "column")
		y := side * rapid.IntRange(0, (height-1)/side).Draw(t, "row")
		return iiif.Rect{X: x, Y: y, Width: min(side, width-x), Height: min(side, height-y)}
	}
	x, y := rapid.IntRange(0, width-1).Draw(t, "x"), rapid.IntRange(0, height-1).Draw(t, "y")
	return iiif.Rect{X: x, Y: y, Width: rapid.IntRange(1, width-x).Draw(t, "w"), Height: rapid.IntRange(1, height-y).Draw(t, "h")}
}

// withoutVector switches libvips' vector unit off.
const withoutVector = "VIPS_NOVECTOR"

// resized is how far a picture shrunk as p says may be from libvips'. Its
// vector unit has weights of six bits, whose sum over a kernel can be off by
// several levels. Without it, libvips 8.14 gets the very same bytes, unless
// pixels lie just between two positions of the kernel: which they take
// depends on where libvips began to add.
func resized(p *plan.Plan, e *Engine) testimages.Tolerance {
	if os.Getenv(withoutVector) != "" && e.VipsVersion()/100 == 814 &&
		!between(p.Crop.Width+p.PadX, p.ScaledWidth) && !between(p.Crop.Height+p.PadY, p.ScaledHeight) {
		return testimages.Tolerance{}
	}
	return testimages.Tolerance{Max: 10, Mean: 1}
}

// between tells whether shrinking from one size to the other puts a pixel
// just between two of the kernel's 64 positions.
func between(from, to int) bool {
	box := to * max(1, from/to/2)
	for i := range to {
		if (2*i+1)*from*64%(2*box) == box {
			return true
		}
	}
	return false
}

// TestShortWayIsAsExactAsLibvips draws regions and sizes in a process whose libvips has
// no vector unit: it is chosen when libvips starts.
func TestShortWayIsAsExactAsLibvips(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestShortWayGivesTheSameFile$")
	cmd.Env = append(os.Environ(), withoutVector+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestShortWayGivesTheSameFile draws regions and sizes: what is not resized
// must be the same file byte for byte, what is must look the same.
func TestShortWayGivesTheSameFile(t *testing.T) {
	e := startEngine(t)
	for name, o := range shortSources(t) {
		t.Run(name, func(t *testing.T) {
			s, err := e.Shape(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(rt *rapid.T) { sameFile(rt, e, o, s) })
		})
	}
}

func sameFile(t *rapid.T, e *Engine, o object, s plan.Shape) {
	r := drawRegion(t, s.Width, s.Height)
	k := rapid.SampledFrom([]int{1, 1, 2, 4, 8, 3, 7, 50}).Draw(t, "scale")
	w, h := ceilDiv(r.Width, k), ceilDiv(r.Height, k)
	params := fmt.Sprintf("%d,%d,%d,%d/%d,%d/0/default.jpg", r.X, r.Y, r.Width, r.Height, w, h)
	quality := rapid.IntRange(1, 100).Draw(t, "quality")
	subsampling := rapid.SampledFrom([]string{"4:4:4", "4:2:0"}).Draw(t, "subsampling")
	p, short, long := both(t, e, o, s, params, func(o *plan.Options) {
		o.StoredTiles = false
		o.JPEGQuality, o.JPEGSubsampling = quality, subsampling
		if k != 1 {
			o.JPEGQuality, o.JPEGSubsampling = 100, "4:4:4" // so that the difference is that of the pixels
		}
	})
	if p.Short == plan.ShortNone {
		t.Fatalf("%s: not on the short way", params)
	}
	if k != 1 && p.Resizes() {
		tolerance := resized(&p, e)
		if w*h < 64 {
			tolerance.Mean = tolerance.Max // a mean of a few pixels is none
		}
		if d := testimages.Compare(decodedJPEG(t, short), decodedJPEG(t, long)); !d.Within(tolerance) {
			t.Errorf("%s: %v", params, d)
		}
	} else if !p.Resizes() && !bytes.Equal(short, long) {
		t.Errorf("%s: another file than libvips': %v", params, testimages.Compare(decodedJPEG(t, short), decodedJPEG(t, long)))
	}
}

// TestShortWayInPieces has more input and output than is held at once.
func TestShortWayInPieces(t *testing.T) {
	e := startEngine(t)
	for _, suffix := range []string{
		".tif[tile,compression=jpeg,Q=98,tile-width=256,tile-height=256]",
		".jp2[tile-width=512,tile-height=512,lossless]",
	} {
		o := vipsFile(t, scene(1999, 1511), suffix)
		s, err := e.Shape(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []string{"max", "1998,1510"} {
			p, short, long := both(t, e, o, s, "full/"+size+"/0/default.jpg", func(o *plan.Options) { o.JPEGQuality = 98 })
			if p.Short == plan.ShortNone || len(short) < 2*plan.ShortOutput {
				t.Fatalf("%s %s: %q way, %d bytes", suffix, size, p.Short, len(short))
			}
			if size == "max" && !bytes.Equal(short, long) {
				t.Errorf("%s: %d bytes that are not libvips' %d", suffix, len(short), len(long))
			}
			if d := testimages.Compare(decodedJPEG(t, short), decodedJPEG(t, long)); !d.Within(testimages.Tolerance{Max: 40, Mean: 1}) {
				t.Errorf("%s, %s: %v", suffix, size, d)
			}
		}
	}
}
