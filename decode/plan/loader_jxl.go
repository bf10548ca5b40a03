package plan

// jxl: libvips keeps the whole frame (jxlload.c of 8.14), and so does libjxl,
// in floats where samples are deeper than 8 bits.
func (m *measure) jxl() []Part {
	s := m.p.Shape
	frame := product(m.pixels(), m.stored)
	parts := add(nil, StageLoader, frame, "frame, whole")
	share := 1.05
	if s.Lossless {
		share = 0.2
	}
	codec := times(frame, share)
	if s.BitsPerSample > 8 {
		codec = times(product(m.pixels(), int64(s.Bands)), 5.1)
	}
	if !s.Lossless {
		codec = sum(codec, s.FileSize)
	}
	return add(parts, StageCodec, sum(codec, 3*mib), "decoder's frame")
}
