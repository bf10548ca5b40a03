package server_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"example.com/iiifd/testimages"
)

// patience is the longest that an answer about a damaged file may take.
const patience = 10 * time.Second

// vector is a small file of the one kind that is not written here and has no
// small sample.
const vector = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="20" height="30" fill="#f00"/></svg>`

// smallFiles returns a small file of each kind: what the server itself
// writes where it can, else a sample.
func smallFiles(t *testing.T, st *stand) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"svg": []byte(vector)}
	for _, format := range []string{"jpg", "png", "tif", "webp", "gif", "jp2", "avif", "jxl", "pdf"} {
		a := st.get(t, "/iiif/3/healthy.png/10,20,60,45/max/0/default."+format)
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", format, a.StatusCode, a.body)
		}
		files[format] = a.body
	}
	heic, err := os.ReadFile(testimages.Path(t, "heif-lossy.heic"))
	if err != nil {
		t.Fatal(err)
	}
	files["heic"] = heic
	return files
}

// damage is a server that is fed damaged files.
type damage struct {
	*stand
	dir    string
	client *http.Client
	n      atomic.Int64
}

func newDamage(t *testing.T) *damage {
	t.Helper()
	dir := t.TempDir()
	healthy, err := os.ReadFile(testimages.Path(t, "png-rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "healthy.png"), healthy, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &damage{stand: open(t, setup{dir: dir, set: map[string]string{"cache-dir": "off"}}), dir: dir, client: direct(nil)}
	t.Cleanup(d.client.CloseIdleConnections)
	return d
}

// serve makes content a file and asks for the whole of it.
func (d *damage) serve(t *testing.T, kind string, content []byte) answer {
	t.Helper()
	name := fmt.Sprintf("%d.%s", d.n.Add(1), kind)
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a := askContext(ctx, t, d.client, http.MethodGet, d.url, "/iiif/3/"+name+"/full/max/0/default.png")
	if a.Response == nil {
		t.Fatalf("%s: no answer: %v", name, a.err)
	}
	return a
}

// well checks that a healthy image is answered as ever.
func (d *damage) well(t *testing.T, want image.Image) {
	t.Helper()
	testimages.Equal(t, d.picture(t, d.client, "/iiif/3/healthy.png/full/max/0/default.png"), want, testimages.Exact)
}

// TestFlippedFiles changes single bytes of a small file of each kind, 200
// times: each is answered soon, by a picture or an error that says so, and
// the server goes on (R100).
func TestFlippedFiles(t *testing.T) {
	d := newDamage(t)
	want := testimages.Reference("png-rgb.png")
	for kind, content := range smallFiles(t, d.stand) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(200, uint64(len(kind))))
			refused := 0
			for range 200 {
				bad := bytes.Clone(content)
				bad[random.IntN(len(bad))] ^= byte(1 + random.IntN(255))
				a := d.serve(t, kind, bad)
				switch a.StatusCode {
				case http.StatusOK:
					if a.err != nil {
						continue // Reset: an honest end of an answer that had begun.
					}
					if _, _, err := image.Decode(bytes.NewReader(a.body)); err != nil {
						t.Errorf("200 with no picture: %v", err)
					}
				case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusInternalServerError, http.StatusNotImplemented:
					refused++
				default:
					t.Errorf("%d %s", a.StatusCode, a.body)
				}
			}
			if refused == 0 {
				t.Error("no damage was noticed: this test sees nothing")
			}
			d.well(t, want)
		})
	}
}

// TestCutFiles cuts a small file of each kind at every byte, a larger one at
// a thousand: none gives a picture that looks whole (R100).
func TestCutFiles(t *testing.T) {
	d := newDamage(t)
	want := testimages.Reference("png-rgb.png")
	for kind, content := range smallFiles(t, d.stand) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			step := 1 + len(content)/4096*4
			if a := d.serve(t, kind, content); a.err != nil || a.StatusCode != http.StatusOK {
				t.Fatalf("the whole file: %v %d %s", a.err, a.StatusCode, a.body)
			}
			// What is left after a last line's end was cut is whole.
			for n := 0; n < len(bytes.TrimSpace(content)); n += step {
				if a := d.serve(t, kind, content[:n]); a.StatusCode < 400 && a.err == nil {
					t.Errorf("cut at %d of %d: %d", n, len(content), a.StatusCode)
				}
			}
			d.well(t, want)
		})
	}
}
