package header_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"example.com/iiifd/decode/header"
)

// pngOf is a PNG of one pixel with chunks before its pixels.
func pngOf(chunks ...[]byte) []byte {
	file := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00")...)
	for _, c := range chunks {
		file = append(file, c...)
	}
	return append(append(file, pngChunk("IDAT", string(deflatedZeros(2)))...), pngChunk("IEND", "")...)
}

func pngChunk(kind, body string) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	c = append(append(c, kind...), body...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

func deflatedZeros(n int) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(make([]byte, n)) // A buffer takes all.
	_ = z.Close()
	return b.Bytes()
}

// TestPNGTexts holds the texts to what libpng may unpack before anything was
// priced.
func TestPNGTexts(t *testing.T) {
	const mib = 1 << 20
	z := func(n int) string { return string(deflatedZeros(n)) }
	for name, row := range map[string]struct {
		chunks [][]byte
		ok     bool
	}{
		"none":                   {ok: true},
		"a text":                 {chunks: [][]byte{pngChunk("zTXt", "Comment\x00\x00"+z(1000))}, ok: true},
		"a large text":           {chunks: [][]byte{pngChunk("zTXt", "Comment\x00\x00"+z(15*mib))}, ok: true},
		"a text that is too big": {chunks: [][]byte{pngChunk("zTXt", "Comment\x00\x00"+z(17*mib))}},
		"many texts": {chunks: [][]byte{
			pngChunk("zTXt", "a\x00\x00"+z(7*mib)), pngChunk("iTXt", "b\x00\x01\x00en\x00b\x00"+z(7*mib)), pngChunk("zTXt", "c\x00\x00"+z(7*mib)),
		}},
		"an international text":  {chunks: [][]byte{pngChunk("iTXt", "XML\x00\x01\x00\x00\x00"+z(17*mib))}},
		"one not compressed":     {chunks: [][]byte{pngChunk("iTXt", "XML\x00\x00\x00\x00\x00"+z(17*mib))}, ok: true},
		"a language without end": {chunks: [][]byte{pngChunk("iTXt", "XML\x00\x01\x00"+strings.Repeat("e", 5000)+"\x00\x00"+z(17*mib))}},
		"a damaged one":          {chunks: [][]byte{pngChunk("zTXt", "Comment\x00\x00"+z(1000)[:9])}, ok: true},
		"one without a keyword":  {chunks: [][]byte{pngChunk("zTXt", ""), pngChunk("iTXt", "a"), pngChunk("iTXt", "a\x00\x01"), pngChunk("zTXt", "a\x00")}, ok: true},
	} {
		file := pngOf(row.chunks...)
		s, err := header.Read(bytes.NewReader(file), int64(len(file)), -1)
		if (err == nil) != row.ok || row.ok && (s.Width != 1 || s.Height != 1) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDrawnSides(t *testing.T) {
	for attributes, want := range map[string][2]float64{
		`width="30" height="20px"`:                              {30, 20},
		`width="1in" height="72pt"`:                             {96, 96},
		`width="1e9" height="2e3"`:                              {1e9, 2e3},
		`viewBox="0 0 7 8"`:                                     {7, 8},
		`viewBox="0,0, 7 8" width="5"`:                          {5, 8},
		`width="100%" height="2em" viewBox=" 0 0&#10;7 8"`:      {7, 8},
		`width="-5" height="x"`:                                 {},
		`style="width:5px"`:                                     {},
		`width="" viewBox="1 2 3"`:                              {},
		`viewBox="0 0 1000000000 1" height="1" x:width="broken`: {},
	} {
		svg := `<?xml version="1.0"?><!-- <svg width="9"/> --><svg xmlns="http://www.w3.org/2000/svg" ` + attributes + `><svg width="4"/></svg>`
		width, height := header.DrawnSides(strings.NewReader(svg), int64(len(svg)))
		if got := [2]float64{width, height}; got != want {
			t.Errorf("%s: %v, want %v", attributes, got, want)
		}
	}
}
