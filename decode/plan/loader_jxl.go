package plan

// jxl: libvips keeps the whole frame (jxlload.c of 8.14), and so does libjxl.
func (m *measure) jxl() []Part {
	s := m.p.Shape
	frame := product(m.pixels(), m.stored)
	parts := add(nil, StageLoader, frame, "frame, whole")
	return add(parts, StageCodec, sum(times(frame, 1.05), s.FileSize, 4*mib), "decoder's frame and file")
}
