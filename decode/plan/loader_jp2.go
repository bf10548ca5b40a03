package plan

// jp2 is priced for decode's own use of OpenJPEG: bands of whole rows, two of
// which are kept (jp2.c), each decoded into 32-bit integers.
func (m *measure) jp2() []Part {
	s := m.p.Shape
	if s.CodeBlockWidth < 1 || s.CodeBlockHeight < 1 {
		return m.other()
	}
	rows := min(m.cropH, int64(max(0, m.p.BandRows)))
	if rows == 0 {
		rows = m.cropH
	}
	band := product(m.cropW, rows)
	held := min(product(2, band), product(m.cropW, m.cropH))
	parts := add(nil, StageLoader, product(held, m.stored), "decoded bands")
	whole := m.cropW == m.loadedW && m.cropH == m.loadedH && rows == m.cropH
	integers := product(band, int64(max(1, s.Bands)), 4)
	if s.Levels[0].Tiled {
		return append(parts, m.jp2Tiled(integers, rows, whole)...)
	}
	return append(parts, m.jp2Untiled(integers, whole)...)
}

// codeBlocks counts the code blocks of px samples per channel in all
// resolutions.
func codeBlocks(s Shape, px int64) int64 {
	block := int64(s.CodeBlockWidth) * int64(s.CodeBlockHeight)
	return over(times(product(px, int64(max(1, s.Bands))), 4.0/3), block)
}

// jp2Tiled: the band and one tile, which OpenJPEG keeps several times over
// while only a part of it is wanted. Each tile of the file has a record,
// wanted or not (j2k.c, opj_tcp_t).
func (m *measure) jp2Tiled(integers, rows int64, whole bool) []Part {
	s := m.p.Shape
	full, level := s.Levels[0], s.Levels[m.p.Level]
	tw, th := int64(full.TileWidth), int64(full.TileHeight)
	tiles := product(over(int64(s.Width), tw), over(int64(s.Height), th))
	tile := product(int64(level.TileWidth), int64(level.TileHeight), int64(max(1, s.Bands)), 4)
	if !whole {
		part := product(min(m.cropW, int64(level.TileWidth)), min(rows, int64(level.TileHeight)), int64(max(1, s.Bands)), 4)
		tile = times(part, 2.65)
		integers = times(integers, 1.3)
	}
	parts := add(nil, StageCodec, integers, "a band in 32-bit integers")
	codec := sum(
		tile,
		product(520, codeBlocks(s, product(tw, th))),
		product(2, over(s.FileSize, tiles)),
		product(22*kib, tiles),
		2*mib,
	)
	return add(parts, StageCodec, codec, "OpenJPEG: a tile, its code blocks and bytes, records of all tiles")
}

// jp2Untiled: with one tile the whole codestream and the code blocks of the
// wanted resolutions stay in memory.
func (m *measure) jp2Untiled(integers int64, whole bool) []Part {
	s := m.p.Shape
	reduced := int64(1) << (2 * min(20, s.Levels[m.p.Level].Reduction))
	factor, base := 4.2, int64(10*mib)
	if whole {
		factor, base = 1.15, 4*mib
	}
	parts := add(nil, StageCodec, times(integers, factor), "a band in 32-bit integers, several times")
	codec := sum(
		s.FileSize, over(s.FileSize, reduced),
		over(product(1300, codeBlocks(s, m.pixels())), reduced),
		base,
	)
	return add(parts, StageCodec, codec, "OpenJPEG: the file and its code blocks")
}
