package plan

// webp: two RGBA canvases of the loaded size (webp2vips.c, read_image), the
// whole file in a buffer that grows by doubling, and the decoder's planes.
// Lossless pictures, and alpha planes, are decoded whole before they are
// scaled.
func (m *measure) webp() []Part {
	s := m.p.Shape
	loaded := product(m.loadedW, m.loadedH)
	parts := m.lineCache(1)
	parts = add(parts, StageCodec, sum(s.FileSize, min(s.FileSize, 4*mib)), "the file")
	codec := product(8, loaded)
	switch {
	case s.Lossless:
		codec = sum(max(codec, sum(times(m.pixels(), 4.15), product(4, loaded))), 7*mib/2, min(product(2, loaded), 4*mib))
	case s.Alpha:
		codec = sum(max(codec, sum(product(5, m.pixels()), product(4, loaded))), 3*mib/2, min(product(6, loaded), 9*mib))
	default:
		codec = sum(codec, product(200, int64(s.Width)), 4*mib)
	}
	return add(parts, StageCodec, codec, "canvases")
}
