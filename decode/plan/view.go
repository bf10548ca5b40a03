package plan

// windows tells that only a part of the scaled picture was asked for.
func (p *Plan) windows() bool {
	return p.Window.Width != p.ScaledWidth || p.Window.Height != p.ScaledHeight
}

// fits tells that the window is resized once more.
func (p *Plan) fits() bool {
	return p.Window.Width != p.FitWidth || p.Window.Height != p.FitHeight
}

// holdsWhole tells that all of the scaled picture is held.
func (p *Plan) holdsWhole() bool {
	return p.windows() && p.Access == AccessSequential
}

// fitting lists the memory of what is held of a view, and of the second
// resizing, whose source that is: how much the first one takes does not
// depend on it.
func (m *measure) fitting() []Part {
	w, h := int64(m.p.Window.Width), int64(m.p.Window.Height)
	held := product(w, h)
	if m.p.holdsWhole() {
		held = product(m.scaledW, m.scaledH)
	} else if !m.p.fits() {
		return nil
	}
	// Before it becomes gray a pixel may be larger than it is written.
	pixel := max(m.resized, m.written)
	parts := add(nil, StageCopy, sum(product(held, pixel), 5*mib/2), "reduced picture, of which a part was asked for")
	if !m.p.fits() {
		return parts
	}
	q := *m.p
	q.Crop, q.Access = m.p.Window, AccessRandom
	q.ScaledWidth, q.ScaledHeight = m.p.FitWidth, m.p.FitHeight
	second := *m
	second.p = &q
	second.cropW, second.cropH, second.scaledW, second.scaledH = w, h, int64(q.ScaledWidth), int64(q.ScaledHeight)
	return append(parts, second.resizing()...)
}
