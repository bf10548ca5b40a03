package plan

// jp2 is priced for decode's own use of OpenJPEG (jp2.c): bands of whole rows,
// two of which are kept, each decoded in pieces into 32-bit integers.
func (m *measure) jp2() []Part {
	s := m.p.Shape
	if s.CodeBlockWidth < 1 || s.CodeBlockHeight < 1 {
		return m.other()
	}
	rows := int64(max(0, m.p.BandRows))
	if rows == 0 {
		rows = m.cropH
	}
	held := product(min(product(2, m.cropW, rows), product(m.cropW, m.cropH)), m.stored)
	if s.Levels[0].Tiled {
		return append(add(nil, StageLoader, held, "decoded bands"), m.jp2Tiled(rows)...)
	}
	if m.cropW == m.loadedW && rows >= m.loadedH {
		return m.jp2Whole(held)
	}
	return append(add(nil, StageLoader, held, "decoded bands"), m.jp2Part(min(rows, m.cropH))...)
}

// codeBlocks counts the code blocks of px samples per channel in all
// resolutions.
func codeBlocks(s Shape, px int64) int64 {
	block := int64(s.CodeBlockWidth) * int64(s.CodeBlockHeight)
	return over(times(product(px, int64(max(1, s.Bands))), 4.0/3), block)
}

// widened is a side of an area of which OpenJPEG decodes all the code blocks
// that it touches, and what the wavelets need beyond.
func widened(side int64, s Shape) int64 {
	return sum(side, times(int64(max(s.CodeBlockWidth, s.CodeBlockHeight)), 1.5))
}

// jp2Tiled: a piece, what OpenJPEG works on, and a record of each tile of the
// file, wanted or not (j2k.c: opj_tcp_t, its 32 progression changes, an
// opj_tccp_t per channel, 100 markers of the index).
func (m *measure) jp2Tiled(rows int64) []Part {
	s := m.p.Shape
	full, level := s.Levels[0], s.Levels[m.p.Level]
	tw, th := int64(max(1, level.TileWidth)), int64(max(1, level.TileHeight))
	pieceH := min(rows, m.cropH)
	pieceW := min(m.cropW, max(tw, roundDown(piecePixels/pieceH, tw)))
	integers := product(pieceW, pieceH, int64(max(1, s.Bands)), 4)
	parts := add(nil, StageCodec, integers, "a piece in 32-bit integers")
	cut := m.cutTiles(rows < th)
	working := m.jp2Working(over(pieceW, tw), over(pieceH, th), cut)
	parts = add(parts, StageCodec, working, "OpenJPEG's samples of a tile")
	tiles := product(over(int64(s.Width), int64(full.TileWidth)), over(int64(s.Height), int64(full.TileHeight)))
	codec := sum(
		product(520, codeBlocks(s, product(int64(full.TileWidth), int64(full.TileHeight)))),
		product(2, over(s.FileSize, tiles)),
		product(20*kib+1228*int64(max(1, s.Bands)), tiles),
		5*mib/2,
	)
	return add(parts, StageCodec, codec, "OpenJPEG: a tile's code blocks and bytes, records of all tiles")
}

func roundDown(n, step int64) int64 { return n / step * step }

// cutTiles tells that some tile is decoded in part, because the crop's edges
// are not those of tiles, or because bands are lower than tiles.
func (m *measure) cutTiles(bands bool) bool {
	l := m.p.Shape.Levels[m.p.Level]
	c := m.p.Crop
	cut := func(start, length, tile, side int) bool {
		return tile < 1 || start%tile != 0 || (start+length < side && (start+length)%tile != 0)
	}
	return bands || cut(c.X, c.Width, l.TileWidth, m.p.LoadedWidth) || cut(c.Y, c.Height, l.TileHeight, m.p.LoadedHeight)
}

// jp2Working is what OpenJPEG needs beside the samples that it hands out, for
// one call that touches so many tiles. A whole tile's own samples are handed
// out (j2k.c, opj_j2k_update_image_data) unless there are several. Of a tile
// that is cut it keeps the wanted window, the code blocks and the wavelets'
// blocks side by side (tcd.c, dwt.c), 3.2 times the window; over several tiles
// the allocator cannot use all that was freed: 5.6 whole tiles were the most.
func (m *measure) jp2Working(across, down int64, cut bool) int64 {
	s := m.p.Shape
	l := s.Levels[m.p.Level]
	tw, th := int64(max(1, l.TileWidth)), int64(max(1, l.TileHeight))
	tile := product(tw, th, int64(max(1, s.Bands)), 4)
	switch several := across > 1 || down > 1; {
	case !cut && !several:
		return 0
	case !cut:
		return tile
	default:
		window := product(min(tw, widened(m.cropW, s)), min(th, widened(m.cropH, s)), int64(max(1, s.Bands)), 4)
		if several {
			return min(times(tile, 6), times(window, 3.2*float64(min(4, product(across, down)))))
		}
		return min(times(tile, 2.4), times(window, 3.2))
	}
}

// jp2Whole is a whole level of a picture of one tile, decoded in place. Then
// OpenJPEG lets the codestream go (j2k.c, opj_j2k_decode_tiles), before the
// samples become the band of picture that is held.
func (m *measure) jp2Whole(held int64) []Part {
	integers := times(product(m.cropW, m.cropH, int64(max(1, m.p.Shape.Bands)), 4), 1.05)
	parts := add(nil, StageCodec, integers, "the picture in 32-bit integers")
	if records := m.jp2Records(); records > held {
		return add(parts, StageCodec, records, "OpenJPEG: the file and its code blocks")
	}
	return add(parts, StageLoader, held, "decoded picture")
}

// jp2Part is a crop of a picture of one tile, or a band of one that is too
// large to be decoded at once; see jp2Working for the 3.8 windows. The codec
// keeps the codestream for the next band.
func (m *measure) jp2Part(rows int64) []Part {
	s := m.p.Shape
	bands := int64(max(1, s.Bands))
	window := product(min(m.loadedW, widened(m.cropW, s)), min(m.loadedH, widened(rows, s)), bands, 4)
	parts := add(nil, StageCodec, sum(times(window, 3.8), product(bands, 5*mib/3)), "a band in 32-bit integers, and its wavelets")
	records := m.jp2Records()
	if rows < m.cropH {
		records = sum(records, s.FileSize)
	}
	return add(parts, StageCodec, records, "OpenJPEG: the file and its code blocks")
}

// jp2Records is what OpenJPEG keeps of a picture of one tile: the whole
// codestream and the records of all code blocks; those of the wanted
// resolutions grow by what is read of them, which an empty one has nothing of.
func (m *measure) jp2Records() int64 {
	s := m.p.Shape
	reduced := int64(1) << (2 * min(20, s.Levels[m.p.Level].Reduction))
	blocks := codeBlocks(s, m.pixels())
	return sum(
		s.FileSize,
		product(330, blocks),
		product(1000, min(over(blocks, reduced), s.FileSize/64)),
		mib,
	)
}
