package main

import (
	"fmt"
	"slices"
)

// kind is one sort of source file: a prepared picture and the vips file name
// options to save it with.
type kind struct {
	name, ext string
	// from names the prepared picture: rgb, gray, rgba, …
	from    string
	options string
	// make replaces saving with vips.
	make func(m *maker, s size, out string) error
}

// kinds lists the corpus.
func kinds() []kind {
	list := []kind{
		{name: "jpeg-420", ext: "jpg", from: "rgb", options: "Q=85"},
		{name: "jpeg-444", ext: "jpg", from: "rgb", options: "Q=92,subsample-mode=off"},
		{name: "jpeg-gray", ext: "jpg", from: "gray", options: "Q=85"},
		{name: "jpeg-cmyk", ext: "jpg", from: "cmyk", options: "Q=85"},
		{name: "jpeg-p3", ext: "jpg", from: "p3", options: "Q=85"},
		{name: "jpeg-restart", ext: "jpg", from: "rgb", options: "Q=85,restart-interval=64"},
		{name: "jpeg-progressive-420", ext: "jpg", from: "rgb", options: "Q=85,interlace"},
		{name: "jpeg-progressive-444", ext: "jpg", from: "rgb", options: "Q=92,subsample-mode=off,interlace"},
		{name: "jpeg-progressive-gray", ext: "jpg", from: "gray", options: "Q=85,interlace"},
		{name: "png-rgb", ext: "png", from: "rgb", options: "compression=2"},
		{name: "png-gray", ext: "png", from: "gray", options: "compression=2"},
		{name: "png-rgba", ext: "png", from: "rgba", options: "compression=2"},
		{name: "png-rgb16", ext: "png", from: "rgb16", options: "compression=2"},
		{name: "png-gray16", ext: "png", from: "gray16", options: "compression=2"},
		{name: "png-palette", ext: "png", make: makePalette},
		{name: "png-1bit", ext: "png", from: "bits", options: "compression=2,bitdepth=1"},
		{name: "png-interlaced", ext: "png", from: "rgb", options: "compression=2,interlace"},
		{name: "png-interlaced-rgba", ext: "png", from: "rgba", options: "compression=2,interlace"},
		{name: "webp-lossy", ext: "webp", from: "rgb", options: "Q=80,effort=1"},
		{name: "webp-lossless", ext: "webp", from: "rgb", options: "lossless,effort=0"},
		{name: "webp-alpha", ext: "webp", from: "rgba", options: "Q=80,effort=1"},
		{name: "gif", ext: "gif", from: "rgb", options: "effort=2,bitdepth=6"},
		{name: "avif", ext: "avif", from: "rgb", options: "Q=50,effort=0"},
		{name: "avif-alpha", ext: "avif", from: "rgba", options: "Q=50,effort=0"},
		{name: "heic", ext: "heic", from: "rgb", options: "Q=50,effort=0"},
		{name: "jxl-lossy", ext: "jxl", from: "rgb", options: "Q=80,effort=3"},
		{name: "jxl-lossless", ext: "jxl", from: "rgb", options: "lossless,effort=3"},
		{name: "jxl-rgb16", ext: "jxl", from: "rgb16", options: "Q=80,effort=3"},
		{name: "jp2-tiled-1024", ext: "jp2", from: "rgb", options: "tile-width=1024,tile-height=1024,Q=40"},
		{name: "jp2-tiled-512-lossless", ext: "jp2", from: "rgb", options: "tile-width=512,tile-height=512,lossless"},
		{name: "jp2-tiled-256-gray", ext: "jp2", from: "gray", options: "tile-width=256,tile-height=256,Q=40"},
		{name: "jp2-untiled", ext: "jp2", from: "rgb", options: "tile-width=32768,tile-height=32768,Q=40"},
		{name: "jp2-untiled-gray16", ext: "jp2", from: "gray16", options: "tile-width=32768,tile-height=32768,lossless"},
		{name: "svg", ext: "svg", make: makeSVG},
		{name: "pdf", ext: "pdf", make: makePDF},
	}
	return append(list, tiffKinds()...)
}

func tiffKinds() []kind {
	list := []kind{
		{name: "planar-strips", from: "rgb", make: copied("-p", "separate", "-c", "lzw", "-r", "16", "-s")},
		{name: "strip-none-1row", from: "rgb", make: copied("-c", "none", "-r", "1", "-s")},
		{name: "strip-lzw-7", from: "rgb", make: copied("-c", "lzw", "-r", "7", "-s")},
	}
	list = append(list, []kind{
		{name: "strip-none", options: "compression=none,tile-height=16"},
		{name: "strip-lzw", options: "compression=lzw,predictor=horizontal,tile-height=16"},
		{name: "strip-deflate-128", options: "compression=deflate,tile-height=128"},
		{name: "strip-deflate-200", options: "compression=deflate,tile-height=200"},
		{name: "strip-packbits", options: "compression=packbits,tile-height=16"},
		{name: "strip-jpeg", options: "compression=jpeg,Q=85,tile-height=64"},
		{name: "strip-zstd", options: "compression=zstd,tile-height=64"},
		{name: "strip-g4", from: "bits", options: "compression=ccittfax4,bitdepth=1,tile-height=128"},
		{name: "strip-rgb16", from: "rgb16", options: "compression=lzw,tile-height=16"},
		{name: "strip-cmyk", from: "cmyk", options: "compression=lzw,tile-height=16"},
		{name: "strip-rgba", from: "rgba", options: "compression=lzw,tile-height=16"},
		{name: "strip-float", from: "float", options: "compression=none,tile-height=16"},
		{name: "strip-16channels", from: "many", options: "compression=none,tile-height=16"},
		{name: "onestrip-lzw", options: "compression=lzw,tile-height=32768"},
		{name: "onestrip-none", options: "compression=none,tile-height=32768"},
		{name: "tiled-jpeg", options: "compression=jpeg,Q=85,tile"},
		{name: "tiled-none-512", options: "compression=none,tile,tile-width=512,tile-height=512"},
		{name: "tiled-float", from: "float", options: "compression=none,tile,tile-width=256,tile-height=256"},
		{name: "pyramid-jpeg-256", options: "compression=jpeg,Q=85,tile,tile-width=256,tile-height=256,pyramid"},
		{name: "pyramid-jpeg-512", options: "compression=jpeg,Q=92,tile,tile-width=512,tile-height=512,pyramid"},
		{name: "pyramid-jpeg-gray", from: "gray", options: "compression=jpeg,Q=85,tile,tile-width=256,tile-height=256,pyramid"},
		{name: "pyramid-subifd-deflate", options: "compression=deflate,tile,tile-width=256,tile-height=256,pyramid,subifd"},
		{name: "pyramid-bigtiff-none", options: "compression=none,tile,tile-width=256,tile-height=256,pyramid,bigtiff"},
		{name: "pyramid-lzw-rgb16", from: "rgb16", options: "compression=lzw,tile,tile-width=256,tile-height=256,pyramid"},
		{name: "pyramid-rgba", from: "rgba", options: "compression=deflate,tile,tile-width=256,tile-height=256,pyramid"},
		{name: "pyramid-cmyk", from: "cmyk", options: "compression=deflate,tile,tile-width=256,tile-height=256,pyramid"},
		{name: "pyramid-webp", options: "compression=webp,Q=80,tile,tile-width=512,tile-height=512,pyramid"},
	}...)
	for i := range list {
		list[i].name, list[i].ext = "tiff-"+list[i].name, "tif"
		if list[i].from == "" {
			list[i].from = "rgb"
		}
	}
	return list
}

// prepared says how each picture is made from others, in the order in which
// they can be made: a vips command line in which @ stands for the folder and
// the size.
var prepared = []struct {
	name    string
	command []string
}{
	{"gray", []string{"colourspace", "@rgb.v", "@gray.v", "b-w"}},
	{"rgba", []string{"bandjoin", "@rgb.v @gray.v", "@rgba.v"}},
	{"rgb16", []string{"colourspace", "@rgb.v", "@rgb16.v", "rgb16"}},
	{"gray16", []string{"colourspace", "@rgb.v", "@gray16.v", "grey16"}},
	{"cmyk", []string{"icc_export", "@rgb.v", "@cmyk.v", "--output-profile", "cmyk"}},
	{"p3", []string{"icc_export", "@rgb.v", "@p3.v", "--output-profile", "p3"}},
	{"float", []string{"colourspace", "@rgb.v", "@float.v", "scrgb"}},
	{"bits", []string{"relational_const", "@gray.v", "@bits.v", "more", "128"}},
	{"many", []string{"bandjoin", "@rgb.v @rgb.v @rgb.v @rgb.v @rgb.v @gray.v", "@many.v"}},
}

// needs lists the prepared pictures that a set of kinds is made from.
func needs(list []kind) []string {
	names := []string{"rgb", "gray"}
	for _, k := range list {
		if k.from != "" && !slices.Contains(names, k.from) {
			names = append(names, k.from)
		}
	}
	return names
}

// file is the name of the file of a kind and size.
func (k kind) file(s size) string { return fmt.Sprintf("%s-%s.%s", k.name, s, k.ext) }
