package decode

import (
	"slices"

	"example.com/iiifd/decode/plan"
)

// loader is how libvips opens a kind of source.
type loader struct {
	operation string // the libvips operation that reads from a source
	class     string // the GObject class that the block list names
}

// loaders has a row per kind that can be read, with the names that libvips
// 8.14 and later give them.
var loaders = map[plan.Loader]loader{
	plan.LoaderJPEG: {"jpegload_source", "VipsForeignLoadJpeg"},
	plan.LoaderPNG:  {"pngload_source", "VipsForeignLoadPng"},
	plan.LoaderTIFF: {"tiffload_source", "VipsForeignLoadTiff"},
	plan.LoaderJP2:  {"jp2kload_source", "VipsForeignLoadJp2k"},
	plan.LoaderWebP: {"webpload_source", "VipsForeignLoadWebp"},
	plan.LoaderGIF:  {"gifload_source", "VipsForeignLoadNsgif"},
	plan.LoaderAVIF: {"heifload_source", "VipsForeignLoadHeif"},
	plan.LoaderHEIF: {"heifload_source", "VipsForeignLoadHeif"},
	plan.LoaderJXL:  {"jxlload_source", "VipsForeignLoadJxl"},
	plan.LoaderPDF:  {"pdfload_source", "VipsForeignLoadPdf"},
	plan.LoaderSVG:  {"svgload_source", "VipsForeignLoadSvg"},
}

// defaultLoaders returns all kinds, sorted.
func defaultLoaders() []string {
	names := make([]string, 0, len(loaders))
	for l := range loaders {
		names = append(names, string(l))
	}
	slices.Sort(names)
	return names
}
