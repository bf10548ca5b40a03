package plan

// webp: two RGBA canvases of the loaded size (webp2vips.c, read_image), the
// whole file in a buffer that grows by doubling, and the decoder's planes.
// Lossless pictures, and alpha planes, are decoded whole before they are
// scaled.
func (m *measure) webp() []Part {
	s := m.p.Shape
	loaded := product(m.loadedW, m.loadedH)
	parts := m.lineCache(1)
	parts = add(parts, StageCodec, product(2, s.FileSize), "the file")
	codec := sum(product(8, loaded), product(200, int64(s.Width)), 3*mib)
	switch {
	case s.Lossless:
		codec = sum(codec, times(m.pixels(), 4.15))
	case s.Alpha:
		codec = sum(codec, product(5, m.pixels()))
	}
	return add(parts, StageCodec, codec, "canvases")
}
