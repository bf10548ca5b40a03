package plan

// webp: two RGBA canvases of the loaded size (webp2vips.c, read_image), the
// whole file, and the decoder's planes; lossless pictures are decoded whole
// before they are scaled.
func (m *measure) webp() []Part {
	s := m.p.Shape
	loaded := product(m.loadedW, m.loadedH)
	parts := m.lineCache(1)
	parts = add(parts, StageCodec, s.FileSize, "the file")
	codec := sum(product(8, loaded), product(200, int64(s.Width)))
	switch {
	case s.Lossless:
		codec = max(product(8, loaded), sum(times(m.pixels(), 4.15), product(4, loaded)))
	case s.Alpha:
		codec = sum(codec, times(m.pixels(), 0.85))
	}
	return add(parts, StageCodec, codec, "canvases")
}
