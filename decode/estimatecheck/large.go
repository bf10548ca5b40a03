package main

import (
	"fmt"
	"os"
	"path/filepath"

	"example.com/iiifd/testimages"
)

// largeKinds are the kinds that occur with hundreds of megapixels, with the
// way their files are made: by package testimages, which needs no more than a
// band of the picture in memory, or where that has none, by copying its TIFF
// of strips.
var largeKinds = map[string]testimages.LargeKind{
	"jpeg-420":                    testimages.LargeJPEG,
	"jpeg-progressive-420":        testimages.LargeProgressive,
	"png-rgb":                     testimages.LargePNG,
	"jp2-tiled-1024":              testimages.LargeTiledJP2,
	"jp2-untiled":                 testimages.LargeUntiledJP2,
	"tiff-strip-lzw":              testimages.LargeStrips,
	"tiff-pyramid-jpeg-256":       testimages.LargePyramid,
	"tiff-strip-none":             "",
	"tiff-pyramid-jpeg-512":       "",
	"tiff-pyramid-subifd-deflate": "",
	"tiff-pyramid-bigtiff-none":   "",
}

// makeLarge makes what is missing of the large files of list.
func (m *maker) makeLarge(list []kind, s size) ([]sample, error) {
	var samples []sample
	for _, k := range list {
		special, ok := largeKinds[k.name]
		if !ok {
			continue
		}
		out := sample{kind: k, size: s, large: true, tiny: filepath.Join(m.dir, k.file(tinySize))}
		var err error
		if special != "" {
			out.path, err = testimages.MakeLarge(m.ctx, m.dir, special, s.width, s.height)
		} else {
			out.path, err = m.copyLarge(k, s)
		}
		if m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		if err != nil {
			fmt.Printf("left out: %s %s: %v\n", k.name, s, err)
			continue
		}
		samples = append(samples, out)
	}
	return samples, nil
}

// copyLarge makes a large file of kind k from the TIFF of strips.
func (m *maker) copyLarge(k kind, s size) (string, error) {
	out := filepath.Join(m.dir, "large-"+k.file(s))
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	strips, err := testimages.MakeLarge(m.ctx, m.dir, testimages.LargeStrips, s.width, s.height)
	if err != nil {
		return "", err
	}
	temp := filepath.Join(m.dir, "large.part."+k.ext)
	defer os.Remove(temp)
	if err := m.vips("copy", strips, temp+"["+k.options+"]"); err != nil {
		return "", err
	}
	return out, os.Rename(temp, out)
}

// largeRequests are those of large files: tiles at several depths, what
// viewers ask first, and what costs most.
func largeRequests(s size) []string {
	at := func(side int, depth float64) string {
		return fmt.Sprintf("%d,%d,%d,%d", int(float64(s.width)*0.37), int(float64(s.height)*depth), side, side)
	}
	return []string{
		at(512, 0.01) + "/max/0/default.jpg",
		at(512, 0.55) + "/max/0/default.jpg",
		at(512, 0.96) + "/max/0/default.jpg",
		at(2048, 0.3) + "/512,/0/default.webp",
		at(4000, 0.5) + "/!1500,1500/90/default.png",
		"full/1024,/0/default.jpg",
		"full/!200,200/0/default.jpg",
		"full/!1500,1500/22.5/gray.png",
		"full/!1600,1600/0/default.avif",
		"full/pct:25/0/default.jxl",
		"full/pct:50/0/default.tif",
		"full/max/0/default.jpg",
	}
}
