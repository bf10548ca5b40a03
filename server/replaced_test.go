package server_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/image/tiff"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// plainPicture is a large noisy picture in which one channel is the same
// everywhere: a mixture of two of them shows, and the format has no checksum
// that would give it away.
func plainPicture(t *testing.T, blue uint8) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 250, 250))
	draw.Draw(m, m.Rect, image.NewUniform(color.NRGBA{B: blue, A: 255}), image.Point{}, draw.Src)
	for i, b := range noise(250 * 250 * 2) {
		m.Pix[i/2*4+i%2] = b
	}
	var b bytes.Buffer
	if err := tiff.Encode(&b, m, nil); err != nil { // Without compression: the same length for both.
		t.Fatal(err)
	}
	return b.Bytes()
}

// shade returns the blue channel's value where it is the same everywhere.
func shade(t *testing.T, body []byte) uint8 {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	pix := m.(*image.NRGBA).Pix
	for i := 2; i < len(pix); i += 4 {
		if pix[i] != pix[2] {
			t.Fatalf("a mixture: %d at the start, %d at pixel %d", pix[2], pix[i], i/4)
		}
	}
	return pix[2]
}

// interrupted is a decoder that lets a test act before a decode reads.
type interrupted struct {
	render.Decoder
	before func()
}

func (d *interrupted) Render(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error {
	d.before()
	return d.Decoder.Render(ctx, obj, p, w)
}

// rewritten is a source whose objects are replaced by a test when they are
// read from an offset on.
type rewritten struct {
	source.Source
	at  int64
	act func()
}

func (s *rewritten) Open(ctx context.Context, id string) (source.Object, error) {
	obj, err := s.Source.Open(ctx, id)
	return &rewrittenObject{obj, s}, err
}

type rewrittenObject struct {
	source.Object
	source *rewritten
}

func (o *rewrittenObject) ReadAt(p []byte, off int64) (int, error) {
	if off >= o.source.at {
		o.source.act()
	}
	return o.Object.ReadAt(p, off)
}

// streamed is a source whose objects are no local files: decoders read them
// through ReadAt.
type streamed struct{ source.Source }

func (s streamed) Open(ctx context.Context, id string) (source.Object, error) {
	obj, err := s.Source.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return pathless{obj}, nil
}

type pathless struct{ source.Object }

func (pathless) Path() string { return "" }

// TestReplacedDuringDecode replaces a file in each way and at each moment of
// a decode: the answer is the old picture, the new one, or an error, and
// never a mixture; the next answer is the new picture.
func TestReplacedDuringDecode(t *testing.T) {
	old, fresh := plainPicture(t, 10), plainPicture(t, 200)
	if len(old) != len(fresh) {
		t.Fatal("the size alone would tell")
	}
	ways := map[string]func(path string) error{
		"rename": func(path string) error {
			if err := os.WriteFile(path+".new", fresh, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"rewrite": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			if _, err := f.Write(fresh); err != nil {
				return err
			}
			return f.Close()
		},
		"truncate and write": func(path string) error { return os.WriteFile(path, fresh, 0o600) },
		"remove":             os.Remove,
	}
	for way, replace := range ways {
		for _, moment := range []string{"before", "halfway"} {
			for _, kind := range []string{"file", "stream"} {
				t.Run(way+" "+moment+" "+kind, func(t *testing.T) {
					dir := t.TempDir()
					path := filepath.Join(dir, "a.tif")
					if err := os.WriteFile(path, old, 0o600); err != nil {
						t.Fatal(err)
					}
					var decoding atomic.Bool // The header is read before.
					var once sync.Once
					act := func() {
						once.Do(func() {
							if err := replace(path); err != nil {
								t.Error(err)
							}
						})
					}
					p := setup{dir: dir, source: func(d *source.Directory) source.Source {
						var src source.Source = d
						if moment == "halfway" {
							src = &rewritten{Source: src, at: int64(len(old) / 2), act: func() {
								if decoding.Load() {
									act()
								}
							}}
						}
						if kind == "stream" {
							src = streamed{src}
						}
						return src
					}}
					p.decoder = func(d render.Decoder) render.Decoder {
						return &interrupted{d, func() {
							if decoding.Store(true); moment == "before" {
								act()
							}
						}}
					}
					st := open(t, p)
					a := st.get(t, "/iiif/3/a.tif/full/max/0/default.png")
					switch {
					case a.StatusCode == http.StatusServiceUnavailable:
						problem(t, a, http.StatusServiceUnavailable, "source_changed")
						if way == "rename" || way == "remove" {
							t.Error("the old file was still there to be read")
						}
					case a.StatusCode != http.StatusOK:
						t.Errorf("status %d %s", a.StatusCode, a.body)
					default:
						// An entity tag belongs to one version.
						if got := shade(t, a.body); got != 10 {
							t.Errorf("the new picture under the old version's tag: %d", got)
						}
					}
					if way == "remove" {
						problem(t, st.get(t, "/iiif/3/a.tif/full/max/0/default.png"), http.StatusNotFound, "not_found")
						return
					}
					again := st.get(t, "/iiif/3/a.tif/full/max/0/default.png")
					if again.StatusCode != http.StatusOK || shade(t, again.body) != 200 {
						t.Errorf("afterwards: %d", again.StatusCode)
					}
					if a.Header.Get("ETag") == again.Header.Get("ETag") {
						t.Error("both versions have one tag")
					}
				})
			}
		}
	}
}

// TestOriginalRewritten shows the same for original files, which are sent
// while they are read: the client sees that the answer is not whole.
func TestOriginalRewritten(t *testing.T) {
	old, fresh := bytes.Repeat([]byte("old "), 1<<18), bytes.Repeat([]byte("new "), 1<<18)
	for name, c := range clients(t) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.bin")
		if err := os.WriteFile(path, old, 0o600); err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		st := open(t, setup{dir: dir, source: func(d *source.Directory) source.Source {
			return &rewritten{Source: d, at: 1 << 19, act: func() {
				once.Do(func() {
					if err := os.WriteFile(path, fresh, 0o600); err != nil {
						t.Error(err)
					}
				})
			}}
		}})
		a := ask(t, c, http.MethodGet, st.url, "/iiif/3/a.bin/file")
		if a.err == nil {
			t.Errorf("%s: whole: %d, %d bytes, mixed: %v", name, a.StatusCode, len(a.body), bytes.Contains(a.body, []byte("new")))
		}
		if bytes.Contains(a.body, []byte("new")) {
			t.Errorf("%s: bytes of the new file were sent as the old one's", name)
		}
		if a := ask(t, c, http.MethodGet, st.url, "/iiif/3/a.bin/file"); a.err != nil || !bytes.Equal(a.body, fresh) {
			t.Errorf("%s: afterwards %v", name, a.err)
		}
	}
}

// TestReplacedFileIsSeen shows that a replaced file is served without a
// restart, that tags and dates follow it, and that what clients hold of the
// old one is not confirmed.
func TestReplacedFileIsSeen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.tif")
	put := func(content []byte) {
		if err := os.WriteFile(path+".new", content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	put(plainPicture(t, 10))
	st := open(t, setup{dir: dir})
	const image = "/iiif/3/a.tif/full/max/0/default.png"
	first := st.get(t, image)
	if got := shade(t, first.body); got != 10 {
		t.Fatal(got)
	}
	if a := st.get(t, image, "If-None-Match: "+first.Header.Get("ETag")); a.StatusCode != http.StatusNotModified {
		t.Errorf("unchanged: %d", a.StatusCode)
	}
	put(plainPicture(t, 200))
	second := st.get(t, image, "If-None-Match: "+first.Header.Get("ETag"))
	if second.StatusCode != http.StatusOK || shade(t, second.body) != 200 || second.Header.Get("ETag") == first.Header.Get("ETag") {
		t.Errorf("replaced: %d %s", second.StatusCode, second.Header.Get("ETag"))
	}
	var small bytes.Buffer
	if err := png.Encode(&small, image2x3()); err != nil {
		t.Fatal(err)
	}
	put(small.Bytes())
	if a := st.get(t, "/iiif/3/a.tif/info.json"); !bytes.Contains(a.body, []byte(`"width":2,"height":3`)) {
		t.Errorf("%s", a.body)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	problem(t, st.get(t, image), http.StatusNotFound, "not_found")
}

func image2x3() image.Image { return image.NewNRGBA(image.Rect(0, 0, 2, 3)) }
