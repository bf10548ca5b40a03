package decode

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
)

// mediaTypeOf tells what a file's first bytes say it is.
func mediaTypeOf(b []byte) string {
	shape, err := header.Read(bytes.NewReader(b), int64(len(b)), -1)
	if err != nil {
		return http.DetectContentType(b)
	}
	switch shape.Loader {
	case plan.LoaderTIFF:
		return "image/tiff"
	case plan.LoaderJP2:
		return "image/jp2"
	case plan.LoaderAVIF:
		return "image/avif"
	case plan.LoaderJXL:
		return "image/jxl"
	}
	return http.DetectContentType(b)
}

func TestEveryFormatEncodesOnePixel(t *testing.T) {
	e := startEngine(t)
	if len(e.Formats()) < 5 {
		t.Fatalf("only %v can be written", e.Formats())
	}
	for _, quality := range []string{"default", "gray", "bitonal"} {
		for _, f := range e.Formats() {
			out, err := request(t, e, objectOf(pngOf(t, pattern(1, 1))), "full/max/0/"+quality+"."+string(f))
			if err != nil {
				t.Errorf("%s.%s: %v (%s)", quality, f, err, detail(err))
				continue
			}
			if got := mediaTypeOf(out); got != MediaType(f) {
				t.Errorf("%s.%s: %d bytes look like %s, want %s", quality, f, len(out), got, MediaType(f))
			}
		}
	}
}

func TestMediaTypeOfUnknownFormat(t *testing.T) {
	if got := MediaType(iiif.Format("bmp")); got != "" {
		t.Errorf("got %q", got)
	}
}

func detail(err error) string {
	var b strings.Builder
	if e, ok := errors.AsType[*Error](err); ok {
		b.WriteString(e.Detail())
	}
	return b.String()
}
