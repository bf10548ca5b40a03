package plan

import (
	"math"
	"slices"
)

const (
	// sinkLines is the height of one of libvips' output buffers with up to
	// seven threads (thread.c, vips_get_tile_size).
	sinkLines = 128
	// cacheLines is how many lines the caches of sequential sources keep at
	// most (tilecache.c, vips_line_cache_build): four such buffers.
	cacheLines = 4 * sinkLines
)

// measure holds a plan's sizes as the formulas use them, in pixels and bytes
// per pixel.
type measure struct {
	p *Plan

	loadedW, loadedH int64
	cropW, cropH     int64
	bottom           int64 // the last line that is decoded
	scaledW, scaledH int64
	outW, outH       int64

	stored  int64 // bytes per pixel as the decoder delivers it
	resized int64 // while it is resized
	copied  int64 // as it is rendered into memory
	written int64 // as it is encoded
	// writtenAlpha tells that the encoder gets transparency.
	writtenAlpha bool
}

func newMeasure(p *Plan) measure {
	m := measure{
		p:       p,
		loadedW: int64(max(1, p.LoadedWidth)), loadedH: int64(max(1, p.LoadedHeight)),
		cropW: int64(max(1, p.Crop.Width)), cropH: int64(max(1, p.Crop.Height)),
		scaledW: int64(max(1, p.ScaledWidth)), scaledH: int64(max(1, p.ScaledHeight)),
		outW: int64(max(1, p.OutWidth)), outH: int64(max(1, p.OutHeight)),
	}
	m.bottom = min(m.loadedH, sum(int64(max(0, p.Crop.Y)), m.cropH))
	m.samples()
	return m
}

// samples follows the size of a pixel through the steps. Every channel beyond
// the colours is alpha to libvips (vips_image_hasalpha), and alpha is resized
// in premultiplied floats.
func (m *measure) samples() {
	s := m.p.Shape
	bands, sample := int64(max(1, s.Bands)), sampleBytes(s)
	base := min(colours(s), bands)
	extra := bands - base
	m.stored = product(bands, sample)
	written := int64(max(8, m.p.Encoder.Bits)) / 8
	if s.early() {
		sample = written
	}
	if extra > 0 && m.p.has(StepFlatten) {
		extra--
	}
	if m.resized = product(base+extra, sample); extra > 0 {
		m.resized = product(base+extra, 4)
	}
	if m.p.has(StepColour) {
		base = min(base, 3)
	}
	if m.p.has(StepGray) {
		base = 1
	}
	m.copied = product(base+extra, written)
	if m.p.has(StepRotate) && m.p.Encoder.Alpha && extra == 0 {
		extra = 1
	}
	m.written = product(base+extra, written)
	m.writtenAlpha = extra > 0
}

// colours is the number of channels of a colour model; where that is not
// known it is the least, for the others are dear.
func colours(s Shape) int64 {
	switch s.Colour {
	case ColourGray, ColourOther, "":
		return 1
	case ColourCMYK, ColourYCCK:
		return 4
	}
	return 3
}

// sampleBytes is the size of one decoded sample. Depth that is not known
// counts as 16 bits.
func sampleBytes(s Shape) int64 {
	switch b := s.BitsPerSample; {
	case b <= 0:
		return 2
	case b <= 8:
		return 1
	case b <= 16:
		return 2
	case b <= 32:
		return 4
	default:
		return 16
	}
}

func (p *Plan) has(step Step) bool {
	return slices.Contains(p.Steps, step)
}

// sequential tells that the source is read from top to bottom.
func (m *measure) sequential() bool { return m.p.Access != AccessRandom }

// source lists the memory up to the scaled picture, and beyond it what after
// holds at the same time. A decoder that makes the whole picture before it
// hands out the first line has its own peak before that: only the pieces that
// wait for it are there then. The parts are those of the dearer moment.
func (m *measure) source(after []Part) []Part {
	rest := append(m.resizing(), m.colour()...)
	rest = append(rest, m.fitting()...)
	rest = append(rest, m.marking()...)
	rest = append(rest, after...)
	decoding := m.loader()
	decoded := m.decoded()
	if decoded == nil {
		return append(decoding, rest...)
	}
	for _, part := range rest {
		if part.Stage == StageRegions || part.Stage == StageSink {
			decoding = append(decoding, part)
		}
	}
	if decoded = append(decoded, rest...); total(decoded) > total(decoding) {
		return decoded
	}
	return decoding
}

// output lists the memory behind the scaled picture.
func (m *measure) output() []Part {
	sink := product(2, min(sinkLines, m.outH), m.outW, m.written)
	parts := add(nil, StageSink, sink, "two buffers of output lines")
	return append(parts, m.encoder()...)
}

// copyBytes is the scaled picture in memory, and the pieces it is made of.
func (m *measure) copyBytes() int64 {
	return sum(product(int64(m.p.FitWidth), int64(m.p.FitHeight), m.copied), mib/2)
}

// turned lists the memory of turning the copy, if it is turned, and encoding it.
func (m *measure) turned() []Part {
	if m.p.Turn == 0 && m.p.Angle == 0 {
		return m.output()
	}
	regions := product(16, m.outW, m.written)
	why := "pieces being turned"
	if m.p.Angle != 0 {
		regions = product(128, 128, m.written, 12)
		why = "pieces being rotated"
	}
	return append(m.output(), Part{StageRegions, sum(regions, 64*kib), why})
}

// cachedLines is the line cache of a sequential decoder: whole pieces of
// step lines, 512 of them or as many as the picture and the request have
// (tilecache.c, vips_line_cache_build).
func (m *measure) cachedLines(step int64) int64 {
	lines := product(max(2, cacheLines/max(1, step)), max(1, step))
	return min(lines, m.loadedH, sum(roundUp(m.bottom, step), step, sinkLines))
}

// lineCache is cachedLines as a part.
func (m *measure) lineCache(step int64) []Part {
	return add(nil, StageLoader, product(m.cachedLines(step), m.loadedW, m.stored), "cache of decoded lines")
}

// pixels is the number of pixels stored.
func (m *measure) pixels() int64 {
	return product(int64(max(1, m.p.Shape.Width)), int64(max(1, m.p.Shape.Height)))
}

// shrinks are the two passes in which libvips resizes one axis: averaging by
// a whole factor, then the kernel by the rest (resize.c, vips_resize_build,
// gap 2). taps is the kernel's length (reduceh.cpp, vips_reduce_get_points).
func shrinks(from, to int64) (box int64, rest float64, taps int64) {
	factor := math.Max(1, float64(from)/float64(to))
	box = max(1, int64(factor/2))
	rest = factor / float64(box)
	if rest > 1 {
		taps = 2*int64(math.Round(3*rest)) + 1
	}
	return box, rest, taps
}
