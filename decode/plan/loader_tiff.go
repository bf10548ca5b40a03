package plan

// tiff: tiles or strips of the chosen level (tiff2vips.c).
func (m *measure) tiff() []Part {
	l := m.p.Shape.Levels[m.p.Level]
	if l.TileWidth < 1 || l.TileHeight < 1 {
		return m.other()
	}
	parts := m.tiffStrips(l)
	if l.Tiled {
		parts = m.tiffTiles(l)
	}
	if m.p.Shape.Planar {
		rows := product(m.loadedW, min(m.loadedH, int64(l.TileHeight)), m.stored)
		parts = add(parts, StageCodec, sum(product(2, rows), 256*kib), "channels stored apart, put together")
	}
	return parts
}

// tiffTiles: a cache of two rows of tiles, of which those touched are filled
// (tiff2vips.c, rtiff_read_tilewise), and one tile while it is decoded.
func (m *measure) tiffTiles(l Level) []Part {
	c := m.p.Crop
	tw, th := int64(l.TileWidth), int64(l.TileHeight)
	tile := product(tw, th, m.stored)
	across := touched(int64(c.X), m.cropW, tw)
	down := touched(int64(c.Y), m.cropH, th)
	n := min(product(2, 1+m.loadedW/tw), product(across, down))
	if m.sequential() {
		n = product(2, 1+m.loadedW/tw)
	}
	parts := add(nil, StageLoader, product(n, tile), "cache of decoded tiles")
	return add(parts, StageCodec, sum(256*kib, product(2, tile)), "tile being decoded")
}

// touched counts the tiles of a side that a stretch lies on.
func touched(start, length, tile int64) int64 {
	return over(sum(start, length), tile) - start/tile
}

// tiffStrips: strips of at most 128 rows are decoded one by one, longer ones
// row by row (tiff2vips.c, rtiff_read_stripwise), unless they are planar or
// chroma-subsampled. libtiff reads a compressed strip's bytes whole.
func (m *measure) tiffStrips(l Level) []Part {
	s := m.p.Shape
	rows := min(int64(l.TileHeight), m.loadedH)
	if rows > 128 && !s.Planar && s.Colour != ColourYCbCr {
		rows = 1
	}
	step := max(16/rows*rows, rows)
	parts := m.lineCache(step)
	codec := int64(512 * kib)
	if s.Compression != "none" {
		codec = sum(codec, times(over(s.FileSize, int64(max(1, s.Strips))), 1.15))
	}
	if rows > 1 {
		codec = sum(codec, product(rows, m.loadedW, m.stored))
	}
	return add(parts, StageCodec, codec, "strip being decoded")
}
