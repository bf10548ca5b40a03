package plan

// jpeg: libvips reads lines in pieces of 8 (jpeg2vips.c, vips__jpeg_read).
// A progressive file's coefficients are all kept until the last scan,
// two bytes each, whatever the shrink-on-load (libjpeg, jdcoefct.c).
func (m *measure) jpeg() []Part {
	s := m.p.Shape
	parts := m.lineCache(8)
	if s.Progressive {
		parts = add(parts, StageCodec, coefficients(s), "coefficients of all scans")
	}
	return add(parts, StageCodec, product(64, int64(s.Width)), "decoder's rows")
}

// coefficients is the memory of a progressive JPEG: each component padded to
// whole MCUs.
func coefficients(s Shape) int64 {
	h, v, known := chroma(s.Subsampling)
	w, height := roundUp(int64(s.Width), 8*h), roundUp(int64(s.Height), 8*v)
	luma := product(2, w, height)
	if s.Bands < 3 || !known {
		return product(luma, int64(max(1, s.Bands)))
	}
	return sum(product(luma, int64(s.Bands-2)), product(2, over(luma, product(h, v))))
}

// chroma gives how many times narrower and lower the chroma planes are.
func chroma(subsampling string) (h, v int64, known bool) {
	switch subsampling {
	case "4:4:4":
		return 1, 1, true
	case "4:2:2":
		return 2, 1, true
	case "4:2:0":
		return 2, 2, true
	case "4:4:0":
		return 1, 2, true
	case "4:1:1":
		return 4, 1, true
	case "4:1:0":
		return 4, 2, true
	}
	return 4, 4, false
}
