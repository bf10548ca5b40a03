package decode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
	"example.com/iiifd/testimages"
)

// TestMain lets the test binary be the process that draws.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == DrawCommand {
		if err := DrawMain(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startDrawing starts an engine that draws in processes of its own.
func startDrawing(t *testing.T) *Engine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := startEngine(t)
	e.DrawApart([]string{self, DrawCommand})
	return e
}

// filed is an object in a file.
type filed struct {
	object
	path string
}

func (o filed) Path() string { return o.path }

// TestDrawingsApartAreTheSame compares drawings made apart, from a file and
// from a stream, with those made in this process.
func TestDrawingsApartAreTheSame(t *testing.T) {
	here, apart := startEngine(t), startDrawing(t)
	for _, name := range []string{"pdf-document.pdf", "svg-card.svg"} {
		s, _ := testimages.Lookup(name)
		for page := range s.Pages {
			o := sample(t, s)
			o.info.Page = page
			for _, params := range []string{"full/max/0/default.png", "20,30,200,100/!90,90/!90/gray.jpg", "full/max/0/bitonal.tif"} {
				want, err := request(t, here, o, params)
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range []source.Object{o, filed{o, filepath.Join(testimages.Dir(), name)}} {
					if got, err := request(t, apart, from, params); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s, page %d, %s: %d bytes, want %d; %v (%s)", name, page, params, len(got), len(want), err, detail(err))
					}
				}
			}
		}
	}
}

// endless is a drawing of few bytes that takes minutes.
func endless() []byte {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f" x="0" y="0" width="1" height="1">`)
	for range 400 {
		b.WriteString(`<feTurbulence baseFrequency="0.9" numOctaves="20" result="a"/><feMorphology in="a" operator="dilate" radius="40"/>`)
	}
	b.WriteString(`</filter><rect width="3000" height="3000" filter="url(#f)"/></svg>`)
	return []byte(b.String())
}

// TestDrawingIsKilled: a drawing that nobody waits for any more ends, though
// librsvg never looks whether it should.
func TestDrawingIsKilled(t *testing.T) {
	e := startDrawing(t)
	o := objectOf(endless())
	p := planFor(t, e, o, "full/256,/0/default.jpg")
	ctx, cancel := context.WithTimeoutCause(context.Background(), 300*time.Millisecond, errStopped)
	defer cancel()
	var out bytes.Buffer
	if err := e.Render(ctx, o, p, &out); !IsKind(err, Killed) || !errors.Is(err, errStopped) {
		t.Errorf("%v (%s)", err, detail(err))
	}
	if out.Len() > 0 || e.apartActive.Load() != 0 {
		t.Errorf("%d bytes, %d processes", out.Len(), e.apartActive.Load())
	}
}

// TestDrawingFailuresComeBack: what goes wrong apart is told as if it had
// gone wrong here.
func TestDrawingFailuresComeBack(t *testing.T) {
	e := startDrawing(t)
	s, _ := testimages.Lookup("pdf-document.pdf")
	whole := sample(t, s)
	p := planFor(t, e, whole, "full/max/0/default.png")

	broken := whole
	broken.ReaderAt = bytes.NewReader(bytes.Repeat([]byte("no drawing "), int(whole.info.Size)))
	if err := e.Render(context.Background(), broken, p, io.Discard); !IsKind(err, Corrupt) {
		t.Errorf("another file: %v (%s)", err, detail(err))
	}
	short := whole
	short.ReaderAt = bytes.NewReader(nil)
	if err := e.Render(context.Background(), short, p, io.Discard); !IsKind(err, Corrupt) {
		t.Errorf("cut off: %v (%s)", err, detail(err))
	}
	short.ReaderAt = failingReader{}
	if err := e.Render(context.Background(), short, p, io.Discard); !IsKind(err, Corrupt) || !errors.Is(err, source.ErrChanged) {
		t.Errorf("reads that fail: %v (%s)", err, detail(err))
	}
	short.ReaderAt = panicking{}
	if err := e.Render(context.Background(), short, p, io.Discard); !IsKind(err, Corrupt) {
		t.Errorf("reads that panic: %v (%s)", err, detail(err))
	}
	if err := e.Render(context.Background(), whole, p, failingWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writes that fail: %v (%s)", err, detail(err))
	}
	e.DrawApart([]string{"/nowhere/iiifd", DrawCommand})
	if err := e.Render(context.Background(), whole, p, io.Discard); !IsKind(err, Internal) {
		t.Errorf("no program: %v (%s)", err, detail(err))
	}
}

// TestDrawingKeepsToItsPrice: librsvg keeps every named result of a filter.
// These would take 2 GiB; the kernel refuses them to the process that draws.
func TestDrawingKeepsToItsPrice(t *testing.T) {
	e := startDrawing(t)
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f" x="0" y="0" width="1" height="1">`)
	for i := range 60 {
		fmt.Fprintf(&b, `<feGaussianBlur in="SourceGraphic" stdDeviation="%d" result="r%d"/>`, i, i)
	}
	b.WriteString(`</filter><rect width="3000" height="3000" filter="url(#f)"/></svg>`)
	o := objectOf([]byte(b.String()))
	err := e.Render(context.Background(), o, planFor(t, e, o, "full/256,/0/default.jpg"), io.Discard)
	if !IsKind(err, Unsupported) && !strings.Contains(detail(err), "NoMemory") {
		t.Errorf("%v (%s)", err, detail(err))
	}
}

// TestPyramidOfADrawing is written by the other process into the file given.
func TestPyramidOfADrawing(t *testing.T) {
	e := startDrawing(t)
	s, _ := testimages.Lookup("svg-card.svg")
	o := sample(t, s)
	shape, err := e.Shape(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	options := e.PlanOptions()
	options.Pyramid = true
	p, err := plan.Compose(shape).Plan("tif", options)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "out.tif"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := e.Render(context.Background(), o, p, f); err != nil {
		t.Fatalf("%v (%s)", err, detail(err))
	}
	made, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Shape(context.Background(), objectOf(made)); err != nil || got.Width != shape.Width || got.Levels[0].TileWidth == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDrawingsGetNoSecrets(t *testing.T) {
	got := apartEnvironment([]string{"HOME=/root", "AWS_SECRET_ACCESS_KEY=x", "IIIFD_OPERATOR_TOKEN=y", "FONTCONFIG_FILE=/etc/f", "HOMELY=z"})
	if strings.Join(got, " ") != "HOME=/root FONTCONFIG_FILE=/etc/f" {
		t.Errorf("%q", got)
	}
}
