package header

import (
	"bytes"
	picture "image"
	"image/color/palette"
	"image/gif"
	"image/png"
	"testing"

	"example.com/iiifd/decode/plan"
)

// TestCheckEnd cuts files at every byte, adds what some programs add, and
// looks whether the end is found.
func TestCheckEnd(t *testing.T) {
	m := picture.NewPaletted(picture.Rect(0, 0, 90, 70), palette.Plan9)
	for i := range m.Pix {
		m.Pix[i] = uint8(i * i)
	}
	var p, g bytes.Buffer
	if err := png.Encode(&p, m); err != nil {
		t.Fatal(err)
	}
	if err := gif.EncodeAll(&g, &gif.GIF{Image: []*picture.Paletted{m, m}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	pdf := []byte("%PDF-1.4\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n")
	for _, c := range []struct {
		loader plan.Loader
		whole  []byte
		// least is the shortest cut that has its end.
		least int
	}{
		{plan.LoaderPNG, p.Bytes(), p.Len()},
		{plan.LoaderGIF, g.Bytes(), g.Len()},
		{plan.LoaderPDF, pdf, len(pdf) - 1},
	} {
		for n := range len(c.whole) + 1 {
			// A byte of the pixels may look like GIF's mark of one byte.
			if c.loader == plan.LoaderGIF && n < len(c.whole) && bytes.HasSuffix(bytes.TrimRight(c.whole[:n], "\x00\r\n"), []byte{gifTrailer}) {
				continue
			}
			err := CheckEnd(bytes.NewReader(c.whole[:n]), int64(n), c.loader)
			if (err == nil) != (n >= c.least) {
				t.Errorf("%s cut at %d of %d: %v", c.loader, n, len(c.whole), err)
			}
			if err != nil && !isCorrupt(err) {
				t.Errorf("%s cut at %d: %v is no CorruptError", c.loader, n, err)
			}
		}
		for name, extra := range map[string][]byte{"padding": make([]byte, 600), "newline": []byte("\r\n"), "a trailer": []byte("photo data of a telephone")} {
			long := append(bytes.Clone(c.whole), extra...)
			if err := CheckEnd(bytes.NewReader(long), int64(len(long)), c.loader); err != nil {
				t.Errorf("%s with %s: %v", c.loader, name, err)
			}
		}
	}
	if err := CheckEnd(bytes.NewReader(nil), 0, plan.LoaderJPEG); err != nil {
		t.Errorf("a kind that has no mark: %v", err)
	}
}
