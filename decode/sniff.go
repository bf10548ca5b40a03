package decode

import (
	"bytes"

	"example.com/iiifd/decode/plan"
)

// sniffLength is how many bytes sniff looks at.
const sniffLength = 1024

// magics are the fixed beginnings of the kinds.
var magics = []struct {
	loader plan.Loader
	offset int
	bytes  string
}{
	{plan.LoaderJPEG, 0, "\xff\xd8\xff"},
	{plan.LoaderPNG, 0, "\x89PNG\r\n\x1a\n"},
	{plan.LoaderTIFF, 0, "II*\x00"},
	{plan.LoaderTIFF, 0, "MM\x00*"},
	{plan.LoaderTIFF, 0, "II+\x00"},
	{plan.LoaderTIFF, 0, "MM\x00+"},
	{plan.LoaderJP2, 0, "\x00\x00\x00\x0cjP  \r\n\x87\n"},
	{plan.LoaderJP2, 0, "\xff\x4f\xff\x51"},
	{plan.LoaderWebP, 8, "WEBP"},
	{plan.LoaderGIF, 0, "GIF87a"},
	{plan.LoaderGIF, 0, "GIF89a"},
	{plan.LoaderJXL, 0, "\xff\x0a"},
	{plan.LoaderJXL, 0, "\x00\x00\x00\x0cJXL \r\n\x87\n"},
	{plan.LoaderPDF, 0, "%PDF-"},
}

// heifBrands are the major brands of ISO base media files that hold images.
var heifBrands = map[string]plan.Loader{
	"avif": plan.LoaderAVIF, "avis": plan.LoaderAVIF,
	"heic": plan.LoaderHEIF, "heix": plan.LoaderHEIF, "hevc": plan.LoaderHEIF, "heim": plan.LoaderHEIF,
	"heis": plan.LoaderHEIF, "mif1": plan.LoaderHEIF, "msf1": plan.LoaderHEIF,
}

// sniff tells the kind of a source from its first bytes.
func sniff(head []byte) plan.Loader {
	for _, m := range magics {
		if len(head) >= m.offset && bytes.HasPrefix(head[m.offset:], []byte(m.bytes)) {
			return m.loader
		}
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		if loader, ok := heifBrands[string(head[8:12])]; ok {
			if loader == plan.LoaderHEIF && bytes.Contains(head[12:min(len(head), 64)], []byte("avif")) {
				return plan.LoaderAVIF
			}
			return loader
		}
	}
	if sniffSVG(head) {
		return plan.LoaderSVG
	}
	return plan.LoaderOther
}

// sniffSVG looks for an svg element after an optional XML declaration,
// comments and white space.
func sniffSVG(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<svg"))
}
