package plan

// Bytes per pixel of pictures within drawings. Poppler makes a cairo surface
// of 4 and a mask of 1 (CairoOutputDev.cc); before it stand OpenJPEG's 4 for
// each sample, 16 with alpha. librsvg has a GdkPixbuf of up to 4 and a surface
// of 4.
const (
	pdfPicture    = 5
	pdfPictureJP2 = 24
	svgPicture    = 9
)

// drawingProcess is what the process that draws takes before it draws: the
// private memory of a program with libvips that has opened its source.
const drawingProcess = 12 * mib

// drawing: PDF and SVG are drawn by poppler and librsvg. The price is that of
// the page at its own resolution, more than the libraries took in any try,
// and that of the pictures on it in theirs.
func (m *measure) drawing() []Part {
	s := m.p.Shape
	codec := sum(product(10, m.pixels()), product(4, s.FileSize), 24*mib)
	parts := add(m.lineCache(16), StageCodec, codec, "page, drawn whole, and what is on it")
	parts = add(parts, StageCodec, drawingProcess, "process that draws")
	if s.Embedded == 0 {
		return parts
	}
	each := int64(pdfPicture)
	switch {
	case s.Loader == LoaderSVG:
		each = svgPicture
	case s.EmbeddedJP2:
		each = pdfPictureJP2
	}
	return add(parts, StageCodec, product(each, s.Embedded), "pictures within the drawing, at their own resolution")
}

// other: a kind without formula counts as decoded whole, twice, in 16 bytes
// per pixel or its own size where that is more.
func (m *measure) other() []Part {
	whole := product(m.pixels(), max(16, product(2, m.stored)))
	return add(nil, StageCodec, sum(whole, m.p.Shape.FileSize, 16*mib), "unknown kind: picture, whole")
}
