package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
)

// encodePDF writes one page per picture (PDF 1.4), each filled by the picture
// at one pixel per point.
func encodePDF(pages []*image.NRGBA) ([]byte, error) {
	d := &document{}
	d.buf.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var kids bytes.Buffer
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+3*i)
	}
	d.object("<< /Type /Catalog /Pages 2 0 R >>", nil)
	d.object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(pages), kids.Bytes()), nil)
	for i, img := range pages {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		var packed bytes.Buffer
		zw := zlib.NewWriter(&packed)
		if _, err := zw.Write(interleaved(img, 3)); err != nil {
			return nil, err
		}
		if err := zw.Close(); err != nil {
			return nil, err
		}
		d.object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /XObject << /Card %d 0 R >> >> >>", w, h, 4+3*i, 5+3*i), nil)
		d.object("", fmt.Appendf(nil, "q %d 0 0 %d 0 0 cm /Card Do Q", w, h))
		d.object(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode", w, h), packed.Bytes())
	}
	return d.end(), nil
}

// document numbers objects from 1 in the order of writing.
type document struct {
	buf     bytes.Buffer
	offsets []int
}

// object writes a dictionary or, where there is data, a stream whose
// dictionary has the given entries.
func (d *document) object(entries string, data []byte) {
	d.offsets = append(d.offsets, d.buf.Len())
	fmt.Fprintf(&d.buf, "%d 0 obj\n", len(d.offsets))
	if data == nil {
		d.buf.WriteString(entries)
	} else {
		fmt.Fprintf(&d.buf, "<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data)
	}
	d.buf.WriteString("\nendobj\n")
}

func (d *document) end() []byte {
	start := d.buf.Len()
	fmt.Fprintf(&d.buf, "xref\n0 %d\n0000000000 65535 f \n", len(d.offsets)+1)
	for _, at := range d.offsets {
		fmt.Fprintf(&d.buf, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&d.buf, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(d.offsets)+1, start)
	return d.buf.Bytes()
}
