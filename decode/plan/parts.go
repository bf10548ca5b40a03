package plan

// Stage names the place in a plan where memory is held.
type Stage string

// The stages, from source to output.
const (
	// StageFixed is what every request takes, whatever its size.
	StageFixed Stage = "fixed"
	// StageLoader is the cache of decoded lines or tiles behind the decoder,
	// or the whole picture where the decoder makes it at once.
	StageLoader Stage = "loader"
	// StageCodec is the decoder's own memory.
	StageCodec Stage = "codec"
	// StageProcess is what a process of its own takes before it draws.
	StageProcess Stage = "process"
	// StageLines are the caches of lines that resizing puts between its
	// passes when it reads a source from top to bottom.
	StageLines Stage = "lines"
	// StageRegions are the pieces of picture that the operations work on.
	StageRegions Stage = "regions"
	StageColour  Stage = "colour"
	// StageCopy is the scaled picture in memory, for turning it.
	StageCopy Stage = "copy"
	// StageMark is the watermark.
	StageMark Stage = "mark"
	// StageSink are the two buffers of lines in front of the encoder.
	StageSink    Stage = "sink"
	StageEncoder Stage = "encoder"
	// StageAllocator is what the allocator holds beyond all that.
	StageAllocator Stage = "allocator"
)

// Part is one share of a plan's peak.
type Part struct {
	Stage Stage
	Bytes int64
	// Why says in a few words what the bytes are.
	Why string
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// fixedBytes covers GObject and GLib, the stacks of libvips' threads and the
// Go heap's growth.
const fixedBytes = 2 * mib

// slack is the share, one in so many, that jemalloc holds beyond what is in
// use: rounding to size classes, and freed pages within their second of grace.
const slack = 16

// add appends a part that has bytes.
func add(parts []Part, stage Stage, bytes int64, why string) []Part {
	if bytes <= 0 {
		return parts
	}
	return append(parts, Part{stage, bytes, why})
}

// Parts lists what makes up the peak. A plan that renders into memory has two
// phases that do not overlap: decode gives back what the first one took before
// the second begins. The parts are those of the dearer one.
func (p *Plan) Parts() []Part {
	m := newMeasure(p)
	if p.Short != ShortNone {
		return m.shortParts()
	}
	parts := add(nil, StageFixed, fixedBytes, "libvips, threads, Go")
	if p.copies() {
		parts = add(parts, StageCopy, m.copyBytes(), "scaled picture, whole")
		in, out := m.source(nil), m.turned()
		if total(in) < total(out) {
			in = out
		}
		parts = append(parts, in...)
	} else {
		parts = append(parts, m.source(m.output())...)
	}
	return add(parts, StageAllocator, over(total(parts), slack), "pages freed but not yet returned")
}

// copies tells that the plan renders into memory on the way.
func (p *Plan) copies() bool {
	return p.has(StepCopy)
}

func total(parts []Part) int64 {
	t := int64(0)
	for _, part := range parts {
		t = sum(t, part.Bytes)
	}
	return t
}
