package header

import (
	"bytes"

	"example.com/iiifd/decode/plan"
)

// sniffLength is how much of a file's start tells its kind. An SVG may put a
// long comment before its root element; libvips looks at 1000 bytes too
// (svgload.c, SVG_HEADER_SIZE).
const sniffLength = 1000

// sniff names the loader by magic number, never by file name. A loader with a
// nil reader is one that only libvips can open.
func sniff(in *input) (plan.Loader, reader, error) {
	head, err := in.upTo(0, sniffLength)
	if err != nil {
		return "", nil, err
	}
	has := func(at int, magic string) bool {
		return len(head) >= at+len(magic) && string(head[at:at+len(magic)]) == magic
	}
	switch {
	case has(0, "\xff\xd8\xff"):
		return plan.LoaderJPEG, readJPEG, nil
	case has(0, pngSignature):
		return plan.LoaderPNG, readPNG, nil
	case has(0, "II*\x00"), has(0, "MM\x00*"), has(0, "II+\x00"), has(0, "MM\x00+"):
		return plan.LoaderTIFF, readTIFF, nil
	case has(0, "\x00\x00\x00\x0cjP  \r\n\x87\n"), has(0, "\xff\x4f\xff\x51"):
		return plan.LoaderJP2, readJP2, nil
	case has(0, "RIFF") && has(8, "WEBP"):
		return plan.LoaderWebP, readWebP, nil
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return plan.LoaderGIF, readGIF, nil
	case has(0, "\xff\x0a"), has(0, "\x00\x00\x00\x0cJXL \r\n\x87\n"):
		return plan.LoaderJXL, readJXL, nil
	case has(4, "ftyp"):
		if loader := heifLoader(head); loader != "" {
			return loader, readHEIF, nil
		}
	case bytes.Contains(head[:min(len(head), 32)], []byte("%PDF-")):
		return plan.LoaderPDF, nil, nil
	case bytes.Contains(head, []byte("<svg")):
		return plan.LoaderSVG, nil, nil
	}
	return plan.LoaderOther, nil, nil
}
