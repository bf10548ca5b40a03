package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
)

// copied makes a TIFF with libtiff's tiffcp: channels apart and strips of
// few rows are not, or not correctly, written by libvips 8.14.
func copied(options ...string) func(m *maker, s size, out string) error {
	return func(m *maker, s size, out string) error {
		whole := out + ".whole.tif"
		defer os.Remove(whole)
		if err := m.vips("copy", m.prefix(s)+"rgb.v", whole+"[compression=none,tile-height=16]"); err != nil {
			return err
		}
		return m.command("tiffcp", append(options, whole, out)...)
	}
}

// makePalette makes a PNG of 64 colours.
func makePalette(_ *maker, s size, out string) error {
	colours := make(color.Palette, 64)
	for i := range colours {
		colours[i] = color.NRGBA{uint8(4 * i), uint8(255 - 4*i), uint8(i * i), 255}
	}
	im := image.NewPaletted(image.Rect(0, 0, s.width, s.height), colours)
	for i := range im.Pix {
		x, y := i%s.width, i/s.width
		im.Pix[i] = uint8((x/9 + y/7 + x*y>>12) & 63)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, im); err != nil {
		return err
	}
	return f.Close()
}

// makeSVG makes a drawing of some thousand shapes.
func makeSVG(_ *maker, s size, out string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`+"\n", s.width, s.height)
	for i := range 2000 {
		x, y := i*7919%s.width, i*6287%s.height
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="#%06x" fill-opacity="0.6"/>`+"\n", x, y, 10+i%90, i*7477%0xffffff)
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// makePDF makes a page that holds the picture as a JPEG; one point per
// pixel.
func makePDF(m *maker, s size, out string) error {
	jpg := out + ".jpg"
	defer os.Remove(jpg)
	if err := m.vips("copy", m.prefix(s)+"rgb.v", jpg+"[Q=85]"); err != nil {
		return err
	}
	picture, err := os.ReadFile(jpg)
	if err != nil {
		return err
	}
	w, h := float64(s.width), float64(s.height)
	draw := fmt.Sprintf("q %.2f 0 0 %.2f 0 0 cm /P Do Q", w, h)
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents 4 0 R /Resources << /XObject << /P 5 0 R >> >> >>", w, h),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(draw), draw),
		fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream",
			s.width, s.height, len(picture), picture),
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return os.WriteFile(out, b.Bytes(), 0o644)
}
