package server_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.com/iiifd/testimages"
)

// mixed is a folder as libraries have them. Said is the start of what the
// listing says where a file cannot be shown; a file that opens says nothing.
var mixed = []struct {
	name, sample string
	said         string
	code         string
}{
	{name: "photo.JPG", sample: "jpeg-420.jpg"},
	{name: "turned.jpeg", sample: "jpeg-orientation-6.jpg"},
	{name: "scan.png", sample: "png-rgb.png"},
	{name: "master.tif", sample: "tiff-16bit.tif"},
	{name: "pyramid.tiff", sample: "tiff-pyramid-jpeg.tif"},
	{name: "book.tif", sample: "tiff-document.tif"},
	{name: "map.jp2", sample: "jp2-tiled.jp2"},
	{name: "web.webp", sample: "webp-lossy.webp"},
	{name: "moving.gif", sample: "gif-animated.gif"},
	{name: "new.avif", sample: "avif-lossy.avif"},
	{name: "phone.heic", sample: "heif-lossy.heic"},
	{name: "next.jxl", sample: "jxl-lossy.jxl"},
	{name: "paper.pdf", sample: "pdf-document.pdf"},
	{name: "drawing.svg", sample: "svg-card.svg"},
	{name: "really-a-jpeg.jp2", sample: "jpeg-gray.jpg"},
	{name: "no extension", sample: "png-gray.png"},
	{name: "Grüße ;2 & mehr?.png", sample: "png-palette.png"},
	{name: "readme.txt", said: "The server cannot read images of this kind", code: "source_unsupported"},
	{name: "empty.jpg", said: "The stored image is damaged", code: "source_corrupt"},
	{name: "cut.png", said: "The stored image is damaged", code: "source_corrupt"},
}

// fill makes the folder, with what is no file among the rest, and returns
// the names that must not be seen.
func fill(t *testing.T, dir string) (unseen []string) {
	t.Helper()
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range mixed {
		if f.sample == "" {
			continue
		}
		content, err := os.ReadFile(testimages.Path(t, f.sample))
		if err != nil {
			t.Fatal(err)
		}
		write(f.name, content)
		if f.name == "scan.png" {
			write("cut.png", content[:len(content)/2])
			write(".hidden.png", content)
		}
	}
	write("readme.txt", []byte("These are scans."))
	write("empty.jpg", nil)
	outside := filepath.Join(t.TempDir(), "outside.png")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "leads-out.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere.png", filepath.Join(dir, "dangling.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop.png", filepath.Join(dir, "loop.png")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(dir, "socket.png"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.Mkdir(filepath.Join(dir, "folder.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{".hidden.png", "leads-out.png", "dangling.png", "loop.png", "fifo.png", "socket.png"}
}

// TestMixedFolder serves a folder of twenty mixed files without any
// configuration: each is listed, and opens as what its content is, or says
// why not, in the listing and in its own answer alike.
func TestMixedFolder(t *testing.T) {
	// A socket's name must be short.
	dir, err := os.MkdirTemp("", "mixed") //nolint:usetesting // t.TempDir is too long for a socket.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	unseen := fill(t, dir)
	st := open(t, setup{dir: dir})
	c := direct(nil)
	defer c.CloseIdleConnections()

	var listing struct {
		Folders []struct{ Name string }
		Items   []struct {
			ID, Name, Error      string
			Other                bool
			Width, Height, Pages int
		}
	}
	a := st.get(t, "/viewer/api/list?limit=500")
	if err := json.Unmarshal(a.body, &listing); err != nil {
		t.Fatal(err, string(a.body))
	}
	if len(listing.Items) != len(mixed) {
		t.Errorf("%d listed, want %d: %s", len(listing.Items), len(mixed), a.body)
	}
	if len(listing.Folders) != 1 || listing.Folders[0].Name != "folder.png" {
		t.Errorf("folders: %v", listing.Folders)
	}
	for _, f := range mixed {
		i := slices.IndexFunc(listing.Items, func(item struct {
			ID, Name, Error      string
			Other                bool
			Width, Height, Pages int
		},
		) bool {
			return item.ID == f.name
		})
		if i < 0 {
			t.Errorf("%s is not listed", f.name)
			continue
		}
		item, base := listing.Items[i], "/iiif/3/"+identifier(f.name)
		// Of what cannot be shown, only this one does not claim to be an image.
		if other := f.name == "readme.txt"; item.Other != other {
			t.Errorf("%s: listed among other files: %t", f.name, item.Other)
		}
		if f.code != "" {
			if !strings.HasPrefix(item.Error, f.said) || item.Error == "" || strings.Contains(item.Error, "/") {
				t.Errorf("%s: the listing says %q", f.name, item.Error)
			}
			said := st.get(t, base+"/info.json")
			problem(t, said, said.StatusCode, f.code)
			if said.StatusCode < 500 || !strings.Contains(string(said.body), item.Error) {
				t.Errorf("%s: %s", f.name, said.body)
			}
			continue
		}
		sample, ok := testimages.Lookup(f.sample)
		if !ok || item.Error != "" || item.Width != sample.Width || item.Height != sample.Height || item.Pages != max(1, sample.Pages) {
			t.Errorf("%s: listed as %+v, is %+v", f.name, item, sample)
		}
		got := st.picture(t, c, base+"/full/max/0/default.png")
		testimages.Equal(t, got, sample.Picture(0), sample.Tolerance)
		if a := st.get(t, base+"/file"); len(a.body) == 0 || a.StatusCode != http.StatusOK {
			t.Errorf("%s: original: %d", f.name, a.StatusCode)
		}
	}
	for _, name := range append(unseen, "folder.png") {
		for _, path := range []string{"/info.json", "/full/max/0/default.png", "/file", "/knora.json", ""} {
			problem(t, st.get(t, "/iiif/3/"+name+path), http.StatusNotFound, "not_found")
		}
	}
}
