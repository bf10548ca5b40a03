package testimages_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"io/fs"
	"os"
	"slices"
	"testing"

	"example.com/iiifd/testimages"
)

// TestFolderAndManifestAgree: each file is in the manifest or belongs to the
// code, each is small, and so are all together.
func TestFolderAndManifestAgree(t *testing.T) {
	const each, all = 200_000, 3_000_000
	known := map[string]bool{}
	for _, f := range testimages.All() {
		if known[f.Name] {
			t.Errorf("%s: twice in the manifest", f.Name)
		}
		known[f.Name] = true
	}
	var total int64
	err := fs.WalkDir(os.DirFS(testimages.Dir()), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !known[path] {
			t.Errorf("%s: not in the manifest", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); info.Size() > each {
			t.Errorf("%s: %d bytes", path, info.Size())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > all {
		t.Errorf("all files together: %d bytes", total)
	}
}

// TestTIFFDirectories checks pages, levels and layout against the tags.
func TestTIFFDirectories(t *testing.T) {
	for _, f := range testimages.All() {
		if f.Kind != testimages.TIFF {
			continue
		}
		data, err := os.ReadFile(testimages.Path(t, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		chain := directories(data)
		var pages, levels []image.Point
		for i, d := range chain {
			if i == 0 || d.first(254)&1 == 0 && f.Pages > 1 {
				pages = append(pages, d.size())
			} else {
				levels = append(levels, d.size())
			}
		}
		for _, sub := range chain[0].subs {
			levels = append(levels, sub.size())
		}
		if len(pages) != f.Pages {
			t.Errorf("%s: %d pages, want %d", f.Name, len(pages), f.Pages)
		}
		for i, got := range pages {
			w, h := f.PageSize(i)
			if f.Orientation >= 5 {
				w, h = h, w
			}
			if got != image.Pt(w, h) {
				t.Errorf("%s: page %d is %v, want %d×%d", f.Name, i, got, w, h)
			}
		}
		if len(levels) > 0 {
			levels = slices.Insert(levels, 0, pages[0])
		}
		if !slices.Equal(levels, f.Levels) {
			t.Errorf("%s: levels %v, want %v", f.Name, levels, f.Levels)
		}
		d := chain[0]
		for what, pair := range map[string][2]int{
			"bits": {d.first(258), f.Bits}, "bands": {d.first(277), f.Bands}, "tile": {d.first(322), f.Tile},
			"tile height": {d.first(323), f.Tile}, "orientation": {max(d.first(274), 1), f.Orientation},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is %d, want %d", f.Name, what, pair[0], pair[1])
			}
		}
	}
}

// directory holds each tag's first value, and the SubIFDs.
type directory struct {
	tags map[int]int
	subs []directory
}

func (d directory) first(tag int) int { return d.tags[tag] }
func (d directory) size() image.Point { return image.Pt(d.tags[256], d.tags[257]) }

// directories reads the main chain of a classic or big TIFF.
func directories(data []byte) []directory {
	r := tiffReader{data: data, order: binary.LittleEndian}
	if data[0] == 'M' {
		r.order = binary.BigEndian
	}
	r.big = r.order.Uint16(data[2:]) == 43
	at := r.value(4, 4)
	if r.big {
		at = r.value(8, 8)
	}
	var chain []directory
	for at != 0 {
		var d directory
		d, at = r.read(at)
		chain = append(chain, d)
	}
	return chain
}

type tiffReader struct {
	data  []byte
	order binary.ByteOrder
	big   bool
}

func (r tiffReader) value(at, size int) int {
	switch size {
	case 2:
		return int(r.order.Uint16(r.data[at:]))
	case 8:
		return int(r.order.Uint64(r.data[at:]))
	default:
		return int(r.order.Uint32(r.data[at:]))
	}
}

func (r tiffReader) read(at int) (d directory, next int) {
	d.tags = map[int]int{}
	countSize, word := 2, 4
	if r.big {
		countSize, word = 8, 8
	}
	n := r.value(at, countSize)
	at += countSize
	for range n {
		tag, kind, count, value := r.value(at, 2), r.value(at+2, 2), r.value(at+4, word), at+4+word
		size := map[int]int{3: 2, 4: 4, 13: 4, 16: 8, 18: 8}[kind]
		if size*count > word {
			value = r.value(value, word)
		}
		if size > 0 {
			d.tags[tag] = r.value(value, size)
		}
		if tag == 330 {
			for i := range count {
				sub, _ := r.read(r.value(value+i*size, size))
				d.subs = append(d.subs, sub)
			}
		}
		at += 4 + 2*word
	}
	return d, r.value(at, word)
}

// TestJP2Headers checks size, components, depth and tiles against SIZ.
func TestJP2Headers(t *testing.T) {
	for _, f := range testimages.All() {
		if f.Kind != testimages.JP2 {
			continue
		}
		data, err := os.ReadFile(testimages.Path(t, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(data, []byte("\xff\x4f\xff\x51"))
		if at < 0 {
			t.Errorf("%s: no codestream", f.Name)
			continue
		}
		siz := data[at+8:]
		long := func(i int) int { return int(binary.BigEndian.Uint32(siz[i:])) }
		tile := long(16)
		if tile == f.Width {
			tile = 0
		}
		got := [5]int{long(0), long(4), tile, int(binary.BigEndian.Uint16(siz[32:])), int(siz[34]) + 1}
		if want := [5]int{f.Width, f.Height, f.Tile, f.Bands, f.Bits}; got != want {
			t.Errorf("%s: width, height, tile, bands, bits are %v, want %v", f.Name, got, want)
		}
		if parts := bytes.Count(data, []byte("\xff\x90\x00\x0a")); f.Name == "jp2-tile-parts.jp2" && parts != 36 {
			t.Errorf("%s: %d tile-parts, want six for each of six tiles", f.Name, parts)
		}
	}
}
