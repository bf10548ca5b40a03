package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/iiifd/testimages"
)

// kind is a sort of source.
type kind string

const (
	pyramid kind = "pyramidal TIFF"
	jp2     kind = "JP2"
	plain   kind = "JPEG"
)

var allKinds = []kind{pyramid, jp2, plain}

// photo is an image of the corpus under one of its identifiers.
type photo struct {
	id            string
	path          string
	kind          kind
	width, height int
}

var corpusKinds = []struct {
	kind  kind
	large testimages.LargeKind
	ext   string
}{
	{pyramid, testimages.LargePyramid, "tif"},
	{jp2, testimages.LargeTiledJP2, "jp2"},
	{plain, testimages.LargeJPEG, "jpg"},
}

var corpusSizes = [][2]int{
	{2000, 1500},
	{testimages.Width48M, testimages.Height48M},
	{testimages.Width300M, testimages.Height300M},
}

// makeCorpus makes the images where cache lacks them and gives each several
// identifiers in dir: names of one file, so that they share the page cache.
func makeCorpus(ctx context.Context, cache, dir string, copies int) ([]photo, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var all []photo
	for _, k := range corpusKinds {
		for _, size := range corpusSizes {
			path, err := testimages.MakeLarge(ctx, cache, k.large, size[0], size[1])
			if err != nil {
				return nil, err
			}
			for n := range copies {
				id := fmt.Sprintf("%dx%d-%02d.%s", size[0], size[1], n, k.ext)
				name := filepath.Join(dir, id)
				first := filepath.Join(dir, fmt.Sprintf("%dx%d-00.%s", size[0], size[1], k.ext))
				if err := link(path, first, name); err != nil {
					return nil, err
				}
				all = append(all, photo{id: id, path: path, kind: k.kind, width: size[0], height: size[1]})
			}
		}
	}
	return all, nil
}

// link gives a file a further name, and copies it where it lies on another
// file system.
func link(path, first, name string) error {
	if os.Link(path, name) == nil || name != first && os.Link(first, name) == nil {
		return nil
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
