package plan

// gif: libnsgif keeps the canvas and the file.
func (m *measure) gif() []Part {
	s := m.p.Shape
	parts := m.lineCache(16)
	codec := sum(times(m.pixels(), 4.2), s.FileSize, mib)
	if s.Animated {
		codec = sum(codec, product(4, m.pixels()))
	}
	return add(parts, StageCodec, codec, "canvas and file")
}
