package decode

import (
	"fmt"
	"io"
	"strconv"

	"example.com/iiifd/iiif"
)

// maxPDFSide is the longest side of a page in points (PDF 1.7, annex C.2).
const maxPDFSide = 14400

// pdfPicture is the number of the object that holds the picture, pdfLength of
// the one that holds its length.
const (
	pdfPicture = 5
	pdfLength  = 6
)

// savePDF writes one page that holds the picture as a JPEG, one point per
// pixel where the page may be so long. The JPEG goes out as it is made: its
// length is an object of its own that follows it (PDF 1.7, 7.3.8.2).
func savePDF(j *job, _ encoder) error {
	w, h := float64(j.pic.Width()), float64(j.pic.Height())
	if longest := max(w, h); longest > maxPDFSide {
		w, h = w*maxPDFSide/longest, h*maxPDFSide/longest
	}
	space := "DeviceRGB"
	if j.pic.Bands() < 3 {
		space = "DeviceGray"
	}
	width, height := pdfNumber(w), pdfNumber(h)
	draw := fmt.Sprintf("q %s 0 0 %s 0 0 cm /P Do Q", width, height)
	p := pdfWriter{out: j.out}
	p.text("%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n")
	p.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
	p.object(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	p.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R /Resources << /XObject << /P %d 0 R >> >> >>",
		width, height, pdfPicture)
	p.object(4, "<< /Length %d >>\nstream\n%s\nendstream", len(draw), draw)
	p.open(pdfPicture)
	p.text("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /%s /BitsPerComponent 8 /Filter /DCTDecode /Length %d 0 R >>\nstream\n",
		j.pic.Width(), j.pic.Height(), space, pdfLength)
	start := p.written
	jpg, _ := encoderOf(iiif.FormatJPG)
	if p.err == nil {
		p.err = j.save(jpg.options(j.plan.Encoder), &output{w: &p})
	}
	length := p.written - start
	p.text("\nendstream\nendobj\n")
	p.object(pdfLength, "%d", length)
	p.finish()
	return p.err
}

// pdfNumber is v in points, as short as it can be said to a hundredth.
func pdfNumber(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// pdfWriter counts what it writes and keeps where objects begin. It does
// nothing more after the first error.
type pdfWriter struct {
	out     io.Writer
	written int64
	starts  []int64
	err     error
}

func (p *pdfWriter) Write(data []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	var n int
	n, p.err = p.out.Write(data)
	p.written += int64(n)
	return n, p.err
}

func (p *pdfWriter) text(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// open begins an object; objects are numbered from 1 in the order in which
// they are written.
func (p *pdfWriter) open(number int) {
	p.starts = append(p.starts, p.written)
	p.text("%d 0 obj\n", number)
}

func (p *pdfWriter) object(number int, format string, args ...any) {
	p.open(number)
	p.text(format, args...)
	p.text("\nendobj\n")
}

// finish writes the table of objects (PDF 1.7, 7.5.4).
func (p *pdfWriter) finish() {
	table := p.written
	p.text("xref\n0 %d\n0000000000 65535 f \n", len(p.starts)+1)
	for _, start := range p.starts {
		p.text("%010d 00000 n \n", start)
	}
	p.text("trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(p.starts)+1, table)
}
