package plan

// drawing: PDF and SVG are drawn by poppler and librsvg. What a page holds
// cannot be told from its header; the price is that of everything on it at
// the page's own resolution, and more than the libraries took in any try.
func (m *measure) drawing() []Part {
	codec := sum(product(10, m.pixels()), product(4, m.p.Shape.FileSize), 24*mib)
	return add(m.lineCache(16), StageCodec, codec, "page, drawn whole, and what is on it")
}

// other: a kind without formula counts as decoded whole, twice, in 16 bytes
// per pixel or its own size where that is more.
func (m *measure) other() []Part {
	whole := product(m.pixels(), max(16, product(2, m.stored)))
	return add(nil, StageCodec, sum(whole, m.p.Shape.FileSize, 16*mib), "unknown kind: picture, whole")
}
