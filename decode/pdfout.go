package decode

import (
	"bytes"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"example.com/iiifd/iiif"
)

// maxPDFSide is the longest side of a page in points (PDF 1.7, annex C.2).
const maxPDFSide = 14400

// savePDF writes one page that holds the picture as a JPEG, one point per
// pixel where the page may be so long. The JPEG stays in memory until the page is complete.
func savePDF(j *job, _ encoder) error {
	jpg, _ := encoderOf(iiif.FormatJPG)
	var picture bytes.Buffer
	if err := j.save(jpg.options(j.plan.Encoder), &output{w: &picture}); err != nil {
		return err
	}
	w, h := float64(j.pic.Width()), float64(j.pic.Height())
	if longest := max(w, h); longest > maxPDFSide {
		w, h = w*maxPDFSide/longest, h*maxPDFSide/longest
	}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w, Ht: h}})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.AddPage()
	options := fpdf.ImageOptions{ImageType: "JPG"}
	doc.RegisterImageOptionsReader("picture", options, &picture)
	doc.ImageOptions("picture", 0, 0, w, h, false, options, 0, "")
	return doc.Output(j.out)
}
