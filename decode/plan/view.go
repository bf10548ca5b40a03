package plan

// windows tells that only a part of the scaled picture was asked for.
func (p *Plan) windows() bool {
	return p.Window.Width != p.ScaledWidth || p.Window.Height != p.ScaledHeight
}

// fits tells that the window is resized once more.
func (p *Plan) fits() bool {
	return p.Window.Width != p.FitWidth || p.Window.Height != p.FitHeight
}

// linesBeforeWindow counts the loaded lines that no line of the window is
// made of: what lies above it, less what the two passes of shrinking reach
// back.
func (p *Plan) linesBeforeWindow() int {
	box, rest, taps := shrinks(int64(p.Crop.Height), int64(p.ScaledHeight))
	top := float64(p.Window.Y) * float64(box) * rest
	return max(0, p.Crop.Y+int(top)-int(box*(taps+4))-32)
}

// fitting lists the memory of the second resizing: its source is held in
// memory, so that how much the first one takes does not depend on it.
func (m *measure) fitting() []Part {
	if !m.p.fits() {
		return nil
	}
	w, h := int64(m.p.Window.Width), int64(m.p.Window.Height)
	parts := add(nil, StageCopy, sum(product(w, h, m.written), 5*mib/2), "the part asked for, before it is resized")
	q := *m.p
	q.Crop, q.Access = m.p.Window, AccessRandom
	q.ScaledWidth, q.ScaledHeight = m.p.FitWidth, m.p.FitHeight
	second := *m
	second.p = &q
	second.cropW, second.cropH, second.scaledW, second.scaledH = w, h, int64(q.ScaledWidth), int64(q.ScaledHeight)
	return append(parts, second.resizing()...)
}
