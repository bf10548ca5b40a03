package plan

// resizing lists the memory between decoder and scaled picture.
func (m *measure) resizing() []Part {
	switch {
	case !m.p.Resizes():
		rows := int64(2)
		if m.sequential() {
			rows = 5
		}
		return add(nil, StageRegions, sum(product(rows, 16, m.cropW, m.stored), 64*kib), "pieces on their way")
	case m.scaledW > m.cropW || m.scaledH > m.cropH:
		bytes := product(160, max(m.cropW, m.scaledW), m.resized)
		return m.withAlpha(add(nil, StageRegions, sum(bytes, 256*kib), "pieces being enlarged"))
	case m.sequential():
		return m.shrinkLines()
	}
	return m.shrinkTiles()
}

// withAlpha adds what premultiplying keeps beside the floats.
func (m *measure) withAlpha(parts []Part) []Part {
	if m.resized <= m.stored {
		return parts
	}
	for i := range parts {
		parts[i].Bytes = times(parts[i].Bytes, 1.1)
	}
	return parts
}

// shrinkLines is the shrink of a sequential source. Behind the vertical
// passes libvips keeps lines at the width before the horizontal ones
// (shrinkv.c and reducev.cpp, since META_SEQUENTIAL is set): 510 of them,
// pieces of ten lines.
func (m *measure) shrinkLines() []Part {
	const kept = cacheLines / 10 * 10
	boxV, restV, taps := shrinks(m.cropH, m.scaledH)
	boxH, _, _ := shrinks(m.cropW, m.scaledW)
	var parts []Part
	if boxV > 1 {
		bytes := product(min(over(m.cropH, boxV), kept), m.cropW, m.resized)
		parts = add(parts, StageLines, bytes, "lines after vertical averaging")
	}
	if restV > 1 {
		bytes := product(min(m.scaledH, kept), m.cropW, m.resized)
		parts = add(parts, StageLines, bytes, "lines after the vertical kernel")
	}
	lines := int64(60)
	if restV > 1 {
		lines = sum(product(6, taps), times(60, restV))
	}
	if boxV == 1 && boxH == 1 {
		lines = sum(lines, 144)
	} else {
		lines = sum(lines, 32)
	}
	lines = min(lines, sum(over(product(6, m.cropH), boxV), 32))
	parts = add(parts, StageRegions, product(lines, m.cropW, m.resized), "pieces being shrunk")
	return m.withAlpha(parts)
}

// shrinkTiles is the shrink of a source read at random.
func (m *measure) shrinkTiles() []Part {
	boxV, restV, tapsV := shrinks(m.cropH, m.scaledH)
	boxH, _, tapsH := shrinks(m.cropW, m.scaledW)
	var bytes int64
	if boxV == 1 && boxH == 1 {
		lines := sum(times(min(16, m.scaledH), restV), tapsV)
		bytes = product(7, lines, m.cropW, m.resized)
	} else {
		width := min(m.cropW, sum(over(product(128, m.cropW), m.scaledW), product(tapsH, boxH)))
		bytes = sum(product(7, sum(times(1, restV), tapsV), width, m.resized), 512*kib)
	}
	return m.withAlpha(add(nil, StageRegions, bytes, "pieces being shrunk"))
}

// colour is the transform between colour spaces.
func (m *measure) colour() []Part {
	if !m.p.has(StepColour) {
		return nil
	}
	s := m.p.Shape
	width := m.scaledW
	if s.early() {
		width = m.cropW
	}
	bytes := product(16, width, 12)
	why := "pieces changing colour space"
	switch {
	case s.Colour == ColourCMYK || s.Colour == ColourYCCK:
		bytes = sum(bytes, 4*mib, s.ICCBytes)
		why = "colour profiles and the tables between inks and sRGB"
	case s.ICCBytes > 0:
		bytes = sum(bytes, mib, s.ICCBytes)
		why = "colour profiles"
	}
	return add(nil, StageColour, bytes, why)
}
