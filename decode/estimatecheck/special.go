package main

import (
	"bytes"
	"fmt"
	"os"
)

// makePlanar makes a TIFF with its channels apart, which libvips does not
// write, with libtiff's tiffcp.
func makePlanar(options string) func(m *maker, s size, out string) error {
	return func(m *maker, s size, out string) error {
		whole := out + ".whole.tif"
		defer os.Remove(whole)
		save := whole + "[compression=none,tile-height=16]"
		args := []string{"-p", "separate", "-c", "lzw", "-r", "16", "-s", whole, out}
		if options != "" {
			save = whole + "[compression=none," + options + "]"
			args = []string{"-p", "separate", "-c", "lzw", "-t", "-w", "256", "-l", "256", whole, out}
		}
		if err := m.vips("copy", m.prefix(s)+"rgb.v", save); err != nil {
			return err
		}
		return m.command("tiffcp", args...)
	}
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

// makePDF makes a page that holds the picture as a JPEG; at 150 pixels per
// inch the page is as large as the picture.
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
	w, h := float64(s.width)*72/150, float64(s.height)*72/150
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
