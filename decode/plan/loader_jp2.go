package plan

// jp2: libvips caches up to three rows of tiles (jp2kload.c); a tile is not
// smaller in the cache for being decoded at a lower resolution.
func (m *measure) jp2() []Part {
	s := m.p.Shape
	if s.CodeBlockWidth < 1 || s.CodeBlockHeight < 1 {
		return m.other()
	}
	if s.Levels[0].Tiled {
		return m.jp2Tiled(s.Levels[0])
	}
	return m.jp2Untiled()
}

// codeBlocks counts the code blocks of px samples of all resolutions.
func codeBlocks(s Shape, px int64) int64 {
	block := int64(s.CodeBlockWidth) * int64(s.CodeBlockHeight)
	return over(times(product(px, int64(max(1, s.Bands))), 4.0/3), block)
}

func (m *measure) jp2Tiled(full Level) []Part {
	s := m.p.Shape
	c := m.p.Crop
	tw, th := int64(full.TileWidth), int64(full.TileHeight)
	reduction := m.p.Shape.Levels[m.p.Level].Reduction
	across, down := touched(int64(c.X), m.cropW, tw), touched(int64(c.Y), m.cropH, th)
	n := product(across, down)
	most := product(3, over(m.loadedW, tw))
	held := min(product(min(n, most), tw, th), product(roundUp(m.loadedW, tw), roundUp(m.loadedH, th)))
	parts := add(nil, StageLoader, product(held, m.stored), "cache of decoded tiles")

	tiles := product(over(int64(s.Width), tw), over(int64(s.Height), th))
	samples := product(over(tw, 1<<reduction), over(th, 1<<reduction), int64(s.Bands), 4)
	factor := 2.65
	if n == 1 {
		factor = 1.15
	}
	codec := sum(
		times(samples, factor),
		product(520, codeBlocks(s, product(tw, th))),
		product(2, over(s.FileSize, tiles)),
		2*mib,
	)
	if n > most {
		codec = sum(codec, times(s.FileSize, 0.4))
	}
	return add(parts, StageCodec, codec, "OpenJPEG's tile: samples, code blocks, bytes")
}

// jp2Untiled: libvips asks OpenJPEG for windows of 512 × 512 out of the one
// tile (jp2kload.c of 8.14), for which the whole codestream and all code
// blocks stay in memory.
func (m *measure) jp2Untiled() []Part {
	const window = 512
	s := m.p.Shape
	c := m.p.Crop
	across, down := touched(int64(c.X), m.cropW, window), touched(int64(c.Y), m.cropH, window)
	most := product(3, over(m.loadedW, window))
	held := product(min(product(across, down), most), window, window)
	parts := add(nil, StageLoader, product(held, m.stored), "cache of decoded windows")

	samples := product(window, window, int64(s.Bands), 4)
	decoded := times(samples, 5.7)
	if m.loadedW <= window && m.loadedH <= window {
		decoded = times(product(m.loadedW, m.loadedH, int64(s.Bands), 4), 1.15)
	}
	asked := min(product(across, down, window, window), product(m.loadedW, m.loadedH))
	codec := sum(
		s.FileSize,
		product(370, codeBlocks(s, m.pixels())),
		decoded,
		times(product(asked, int64(s.Bands)), 1.5*4/3),
		2*mib,
	)
	return add(parts, StageCodec, codec, "OpenJPEG: the file, code blocks, a window")
}
