package plan

// png: lines in pieces of 16 (vipspng.c, vips__png_read_source); an
// interlaced file is decoded whole into memory first (the same, png2vips_interlace).
func (m *measure) png() []Part {
	rows := sum(256*kib, product(4, m.loadedW, m.stored))
	if m.p.Shape.Progressive {
		parts := add(nil, StageLoader, product(m.pixels(), m.stored), "interlaced picture, whole")
		return add(parts, StageCodec, rows, "decoder's rows")
	}
	return add(m.lineCache(16), StageCodec, rows, "decoder's rows")
}
