package header_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/iiifd/decode/header"
	"example.com/iiifd/decode/plan"
)

// wide is the start of a GIF of 20000×10000 pixels, which is all that telling
// its size takes.
const wide = "GIF89a\x20\x4e\x10\x27\x00\x00\x00,\x00\x00\x00\x00\x20\x4e\x10\x27\x00\x02\x00;"

func TestEmbedded(t *testing.T) {
	data := "data:image/gif;base64," + base64.StdEncoding.EncodeToString([]byte(wide))
	svg := func(body string) string {
		return `<?xml version="1.0" encoding="ISO-8859-1"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` + body + `</svg>`
	}
	var copies strings.Builder
	for i := range 9 {
		fmt.Fprintf(&copies, `<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use xlink:href="#a%d"/>`, i), 10))
	}
	picture := func(dict string) string {
		return "%PDF-1.4\n1 0 obj\n<</Type/XObject/Subtype/Image" + dict + "/Length 4>>stream\n/\xff/W\nendstream\nendobj\n"
	}
	page := func(dict, content string) string {
		return "%PDF-1.4\n4 0 obj\n<</Length 9" + dict + ">>\nstream\r\n" + content + "\nendstream\nendobj\n"
	}
	inline := "q 0 0 BI\n/CS /G /W 300\n/H 200 /BPC 1 /F /Fl ID \xff\x00EI Q"
	far := strings.Repeat("\x00/F1 ", 100_000)
	for _, row := range []struct {
		name   string
		kind   plan.Loader
		file   string
		pixels int64
		coded  bool
		shapes bool
		fails  bool
	}{
		{name: "no drawing", kind: plan.LoaderPNG, file: svg(`<image href="` + data + `"/>`)},
		{name: "svg of shapes", kind: plan.LoaderSVG, file: svg(`<rect id="a0"/><use xlink:href="#a0"/><use href="#none"/>`)},
		{name: "svg naming other files", kind: plan.LoaderSVG, file: svg(`<image xlink:href="other.png"/><image href="http://localhost/x"/>`)},
		{name: "svg with pictures", kind: plan.LoaderSVG, file: svg(`<g><image xlink:href="` + data + `"/></g><image href=" ` + data + `"/>`), pixels: 400_000_000},
		{name: "svg with an escaped address", kind: plan.LoaderSVG, file: svg(`<image href="&#100;ata&#x3a;` + data[5:] + `"/>`), pixels: 200_000_000},
		{name: "svg with a picture in a filter", kind: plan.LoaderSVG, file: svg(`<filter><feImage href="` + data + `"/></filter>`), pixels: 200_000_000},
		{name: "svg with lines in its base64", kind: plan.LoaderSVG, file: svg(`<image href="` + data[:40] + "\n  " + data[40:] + `"/>`), pixels: 200_000_000},
		{name: "svg with a picture behind an entity", kind: plan.LoaderSVG, file: svg(`<image href="&d;"/>`), fails: true},
		{name: "svg with a picture of no known kind", kind: plan.LoaderSVG, file: svg(`<image href="data:image/bmp;base64,Qk0="/>`), fails: true},
		{name: "svg with a picture in plain text", kind: plan.LoaderSVG, file: svg(`<image href="data:image/gif,GIF89a"/>`), fails: true},
		{name: "svg of copies of copies", kind: plan.LoaderSVG, file: svg(`<defs><rect id="a0"/>` + copies.String() + `</defs><use xlink:href="#a9"/>`), fails: true},
		{name: "svg that copies itself", kind: plan.LoaderSVG, file: svg(`<g id="a"><use href="#a"/></g>`)},
		{name: "svg without an end", kind: plan.LoaderSVG, file: svg(strings.Repeat("<g>", 300)), fails: true},
		{name: "svg of plain shapes", kind: plan.LoaderSVG, file: svg(`<g><path d="M0 0"/><circle r="1" fill-opacity=".5"/></g>`), shapes: true},
		{name: "svg with text", kind: plan.LoaderSVG, file: svg(`<text>a</text>`)},
		{name: "svg with a group behind glass", kind: plan.LoaderSVG, file: svg(`<g opacity=".5"><rect/></g>`)},
		{name: "svg with a style sheet", kind: plan.LoaderSVG, file: svg(`<style>rect{opacity:.5}</style><rect/>`)},
		{name: "svg with a style", kind: plan.LoaderSVG, file: svg(`<rect style="opacity:.5"/>`)},
		{name: "svg with entities", kind: plan.LoaderSVG, file: `<!DOCTYPE svg [<!ENTITY a "<text>a</text>">]><svg>&a;</svg>`},
		{name: "svg of another name space", kind: plan.LoaderSVG, file: svg(`<x:rect xmlns:x="http://www.w3.org/2000/svg"/>`)},
		{name: "pdf without pictures", kind: plan.LoaderPDF, file: "%PDF-1.4\n<</Widths[500 600]/AvgWidth 90/Height 3>>"},
		{name: "pdf with a picture", kind: plan.LoaderPDF, file: picture("/Width 300/Height 200"), pixels: 60_000},
		{name: "pdf with its keys on lines of their own", kind: plan.LoaderPDF, file: picture("\n/Height\n 200\n/Width\r\n300\n"), pixels: 60_000},
		{name: "pdf with pictures far in", kind: plan.LoaderPDF, file: picture("/Width 9/Height 9") + far + picture("/Width 300/Height 200") + far, pixels: 60_000},
		{name: "pdf with a JPEG 2000", kind: plan.LoaderPDF, file: picture("/Width 300/Height 200/Filter/JPXDecode"), pixels: 60_000, coded: true},
		{name: "pdf with a picture in a page", kind: plan.LoaderPDF, file: page("", inline), pixels: 60_000},
		{name: "pdf with a picture in a deflated page", kind: plan.LoaderPDF, file: page("/Filter /FlateDecode", deflated(far+inline)), pixels: 60_000},
		{
			name: "pdf with a picture in a deflated form far in", kind: plan.LoaderPDF,
			file: far + page("/Resources<</ProcSet[/ImageC]>>/Filter[/FlateDecode]", deflated("BI/Height 200/Width 300 ID ")) + far, pixels: 60_000,
		},
		{name: "pdf with words in a page", kind: plan.LoaderPDF, file: page("", "(BIKE /W 300 /H 200 ID)")},
		{name: "pdf with a damaged page", kind: plan.LoaderPDF, file: page("/Filter/FlateDecode", inline)},
		{name: "pdf with a width kept elsewhere", kind: plan.LoaderPDF, file: picture("/Width 12 0 R/Height 1000"), pixels: 16_384_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := bytes.NewReader([]byte(row.file))
			c, err := header.Embedded(r, r.Size(), row.kind)
			if row.fails {
				if !errors.Is(err, header.ErrUncountable) {
					t.Errorf("err = %v, want ErrUncountable", err)
				}
				return
			}
			if want := (header.Contents{Pixels: row.pixels, JP2: row.coded, Shapes: row.shapes}); err != nil || c != want {
				t.Errorf("Embedded = %+v, %v; want %+v", c, err, want)
			}
		})
	}
}

// A dictionary is found wherever the pieces that a PDF is read in end.
func TestEmbeddedAcrossPieces(t *testing.T) {
	for shift := range 80 {
		file := "%PDF-1.4\n" + strings.Repeat(" ", 256<<10-60+shift) + "<</Width 300/Height 200>>" + strings.Repeat(" ", 300<<10)
		c, err := header.Embedded(strings.NewReader(file), int64(len(file)), plan.LoaderPDF)
		if err != nil || c.Pixels != 60_000 {
			t.Fatalf("shift %d: Embedded = %+v, %v; want 60000 pixels", shift, c, err)
		}
	}
}

func FuzzEmbedded(f *testing.F) {
	f.Add([]byte(`<svg><image href="data:image/gif;base64,R0lG"/><use href="#a"/></svg>`))
	f.Add([]byte("%PDF-1.4 /Width 3 0 R /Height 99999999999999999999"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range []plan.Loader{plan.LoaderPDF, plan.LoaderSVG} {
			if c, err := header.Embedded(bytes.NewReader(data), int64(len(data)), kind); err == nil && c.Pixels < 0 {
				t.Errorf("%s: %d pixels", kind, c.Pixels)
			}
		}
	})
}

// deflated is text as a stream of a PDF holds it.
func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err) // A buffer takes everything.
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// TestInlinePicturesBetweenPieces finds a page wherever the file is cut into
// the pieces that it is read in.
func TestInlinePicturesBetweenPieces(t *testing.T) {
	content := "4 0 obj\n<</Length 9>>\nstream\r\nBI/W 300/H 200 ID x EI\nendstream\n"
	for before := 256<<10 - len(content) - 2; before < 256<<10+2; before++ {
		file := strings.Repeat(" ", before) + content
		c, err := header.Embedded(strings.NewReader(file), int64(len(file)), plan.LoaderPDF)
		if c.Pixels != 60_000 || err != nil {
			t.Fatalf("%d bytes before it: %+v, %v", before, c, err)
		}
	}
}
