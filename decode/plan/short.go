package plan

import "example.com/iiifd/iiif"

// Short names a way around libvips for a plan that is simple enough: the
// result is the same, at a fraction of the work.
type Short string

// The short ways.
const (
	// ShortNone: libvips carries the plan out.
	ShortNone Short = ""
	// ShortStored passes a stored JPEG tile on without decoding it.
	ShortStored Short = "stored"
	// ShortTiles decodes JPEG tiles of a TIFF, shrinks and encodes them with
	// libjpeg.
	ShortTiles Short = "tiles"
	// ShortJP2 decodes tiles of a JPEG 2000 source with OpenJPEG and encodes
	// them with libjpeg.
	ShortJP2 Short = "jp2"
)

const (
	// shortJP2Pixels is how many pixels OpenJPEG decodes at once on the short
	// way: it holds all of them as 32-bit integers.
	shortJP2Pixels = 4 << 20
	// shortStream is the longest codestream that is put together in memory.
	shortStream = 16 * mib
	// shortTileSide is the longest side of a stored tile that is handled.
	shortTileSide = 2048
)

// short decides which way the plan takes. It is called last, when the steps
// are known.
func (p *Plan) short() Short {
	// A view is always made in the same way, whatever part of it is shown.
	if !p.Options.ShortPath || p.Options.View != (iiif.Dimensions{}) || !p.plainPicture() {
		return ShortNone
	}
	l := p.Shape.Levels[p.Level]
	if !l.Tiled || l.TileWidth < 1 || l.TileHeight < 1 {
		return ShortNone
	}
	switch p.Shape.Loader {
	case LoaderTIFF:
		if !l.JPEGTiles || l.TileWidth > shortTileSide || l.TileHeight > shortTileSide {
			return ShortNone
		}
		if p.Options.StoredTiles && p.wholeTile(l) {
			return ShortStored
		}
		return ShortTiles
	case LoaderJP2:
		if product(int64(p.Crop.Width), int64(p.Crop.Height)) <= shortJP2Pixels && p.ShortStreamBytes() <= shortStream {
			return ShortJP2
		}
	}
	return ShortNone
}

// plainPicture tells that the source's samples can go to the JPEG encoder as
// they are: 8 bits, gray or RGB, no transparency, no change of colours, at
// most made smaller.
func (p *Plan) plainPicture() bool {
	s := p.Shape
	gray := s.Bands == 1 && s.Colour == ColourGray
	colour := s.Bands == 3 && (s.Colour == ColourRGB || s.Colour == ColourYCbCr && s.Loader == LoaderTIFF)
	switch {
	case p.Encoder.Format != iiif.FormatJPG || p.Encoder.Profile,
		!gray && !colour,
		s.BitsPerSample != 8 || s.Sample != SampleUint || s.Alpha || s.Palette || s.Planar,
		p.ScaledWidth > p.Crop.Width+p.PadX || p.ScaledHeight > p.Crop.Height+p.PadY:
		return false
	}
	for _, step := range p.Steps {
		switch step {
		case StepAdvance, StepCrop, StepPad, StepResize:
		default:
			return false
		}
	}
	return true
}

// wholeTile tells that the crop is exactly one tile of l, with no part of it
// beyond the picture's edge, and not resized.
func (p *Plan) wholeTile(l Level) bool {
	c := p.Crop
	return !p.Resizes() && p.PadX == 0 && p.PadY == 0 && c.Width == l.TileWidth && c.Height == l.TileHeight &&
		c.X%l.TileWidth == 0 && c.Y%l.TileHeight == 0 &&
		c.X+c.Width <= l.Width && c.Y+c.Height <= l.Height
}

// Bounds of the short way, which decode keeps and the price relies on, in
// bytes.
const (
	// ShortBatch is how much of stored tiles is read before it is decoded,
	// unless one tile alone is longer.
	ShortBatch = 1 << 20
	// ShortOutput is how much is encoded before it is handed on.
	ShortOutput = 512 << 10
)

// ShortTileBytes is the longest stored JPEG tile of that size that the short
// way reads; longer ones are libvips' matter.
func ShortTileBytes(tileWidth, tileHeight, bands int) int64 {
	return sum(64*kib, product(2, int64(tileWidth), int64(tileHeight), int64(bands)))
}

// shortFixed covers the codecs' tables and the Go heap's growth.
const shortFixed = 2 * mib

// shortParts lists the memory of the short ways.
func (m *measure) shortParts() []Part {
	p := m.p
	l := p.Shape.Levels[p.Level]
	parts := add(nil, StageFixed, shortFixed, "codec tables, Go")
	tile := ShortTileBytes(l.TileWidth, l.TileHeight, p.Shape.Bands)
	switch p.Short {
	case ShortStored:
		return add(parts, StageCodec, tile, "stored tile, and its copy")
	case ShortTiles:
		parts = add(parts, StageCodec, m.shortBatch(l), "stored tiles as they are read")
		rows := min(int64(l.TileHeight), m.cropH)
		parts = add(parts, StageLoader, product(rows, m.cropW, m.stored), "one row of decoded tiles")
	case ShortJP2:
		parts = append(parts, m.shortJP2(p.Shape.Levels[0])...)
	}
	parts = append(parts, m.shortResizing()...)
	parts = append(parts, m.shortEncoder()...)
	return add(parts, StageAllocator, over(total(parts), slack), "pages freed but not yet returned")
}

// shortBatch is the compressed bytes held at once: a batch, or as many tiles
// as the crop touches.
func (m *measure) shortBatch(l Level) int64 {
	c := m.p.Crop
	tile := product(int64(l.TileWidth), int64(l.TileHeight), m.stored)
	tiles := product(touched(int64(c.X), m.cropW, int64(l.TileWidth)), touched(int64(c.Y), m.cropH, int64(l.TileHeight)))
	// Twice, for Go's collector lets a batch lie while the next is read.
	return product(2, min(max(ShortBatch, tile), product(tiles, tile)))
}

// shortResizing is what the short way's own resampler holds: lines as floats
// at the crop's width, as many as the kernel has points, and the horizontal
// pass' lines.
func (m *measure) shortResizing() []Part {
	if !m.p.Resizes() {
		return nil
	}
	_, _, taps := shrinks(m.cropH, m.scaledH)
	lines := sum(taps, 4)
	return add(nil, StageLines, sum(product(lines, m.cropW, m.stored, 4), product(m.cropW, 16), 64*kib), "lines being shrunk")
}

// shortEncoder is libjpeg and the piece of output that waits to be handed on.
func (m *measure) shortEncoder() []Part {
	out := min(sum(ShortOutput, product(16, m.outW, m.written)), sum(8*kib, product(m.outW, m.outH, m.written)))
	return add(nil, StageEncoder, sum(product(4, out), product(64, m.outW)), "encoder, and output to be handed on")
}

// shortJP2 is OpenJPEG's memory for the tiles that the crop touches, one
// after the other, and its result as integers.
func (m *measure) shortJP2(full Level) []Part {
	s := m.p.Shape
	reduction := s.Levels[m.p.Level].Reduction
	tw, th := int64(full.TileWidth), int64(full.TileHeight)
	// What lies a kernel's reach around the crop is decoded too, of a tile at
	// a time.
	const reach = 64
	rw := min(max(1, over(tw, 1<<reduction)), m.cropW+reach)
	rh := min(max(1, over(th, 1<<reduction)), m.cropH+reach)
	tiles := product(over(int64(s.Width), tw), over(int64(s.Height), th))
	parts := add(nil, StageLoader, product(m.cropW, m.cropH, int64(s.Bands), 5), "decoded samples, and as bytes")
	// A tile that is decoded whole and alone has its samples handed out; one
	// that is cut takes blocks and wavelets beside them.
	factor := 1.65
	switch alone, cut := m.shortTile(); {
	case alone && !cut:
		rw, rh = m.cropW, m.cropH
		factor = 0.65
	case cut:
		factor = 2.1
	}
	codec := sum(
		times(product(rw, rh, int64(s.Bands), 4), factor),
		product(520, codeBlocks(s, product(tw, th))),
		m.p.ShortStreamBytes(),
		// opj_tcp_t and its opj_tccp_t, which every tile of the file gets.
		product(tiles, 6*kib+int64(s.Bands)*5*kib/4),
		mib,
	)
	return add(parts, StageCodec, codec, "OpenJPEG's tile: samples, code blocks, bytes")
}

// shortTile tells whether the crop lies within one tile, and whether a tile is
// decoded in part.
func (m *measure) shortTile() (alone, cut bool) {
	l, c := m.p.Shape.Levels[m.p.Level], m.p.Crop
	alone = touched(int64(c.X), m.cropW, int64(l.TileWidth)) == 1 && touched(int64(c.Y), m.cropH, int64(l.TileHeight)) == 1
	return alone, m.cutTiles(false)
}

// ShortStreamBytes is the longest codestream that the short way puts together
// for a JPEG 2000 source: twice what as many tiles have on average.
func (p *Plan) ShortStreamBytes() int64 {
	full, reduced := p.Shape.Levels[0], p.Shape.Levels[p.Level]
	tw, th := int64(max(1, full.TileWidth)), int64(max(1, full.TileHeight))
	step := int64(1) << reduced.Reduction
	c := p.Crop
	n := product(
		touched(product(int64(c.X), step), product(int64(c.Width), step), tw),
		touched(product(int64(c.Y), step), product(int64(c.Height), step), th),
	)
	tiles := product(over(int64(p.Shape.Width), tw), over(int64(p.Shape.Height), th))
	return min(sum(p.Shape.FileSize, mib), sum(product(2, n, over(p.Shape.FileSize, tiles)), mib))
}
