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

// drawnTile is the side of the tiles in which libvips has drawings drawn; it
// keeps two rows of them (pdfload.c, svgload.c: TILE_SIZE).
const drawnTile = 2000

// drawing: PDF and SVG are drawn by poppler and librsvg. The price is more
// than the libraries took in any try, and that of the pictures on the page in
// their own resolution. What is not in the header counts as surfaces of the
// page's size, but where an SVG is known to have shapes alone.
func (m *measure) drawing() []Part {
	s := m.p.Shape
	tiles := product(m.loadedW, min(m.loadedH, 2*drawnTile))
	var codec int64
	switch {
	case s.Shapes:
		codec = sum(product(4, tiles), product(10, s.FileSize), 4*mib)
	case s.Loader == LoaderPDF:
		codec = sum(product(8, tiles), product(4, s.FileSize), 24*mib)
	default:
		codec = sum(product(10, m.pixels()), product(4, s.FileSize), 24*mib)
	}
	parts := add(m.lineCache(16), StageCodec, codec, "page, as it is drawn, and what is on it")
	parts = add(parts, StageProcess, drawingProcess, "process that draws")
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
