package plan

import "example.com/iiifd/iiif"

// encoder lists the encoder's own memory. Encoders that need the whole picture
// keep it beside what they make of it; the figures per pixel were measured on
// pictures that compress badly.
func (m *measure) encoder() []Part {
	w, px := m.outW, product(m.outW, m.outH)
	alpha := m.writtenAlpha
	var bytes int64
	why := "encoder's rows"
	switch m.p.Encoder.Format {
	case iiif.FormatJPG, iiif.FormatPDF:
		bytes = sum(256*kib, product(64, w))
	case iiif.FormatPNG:
		bytes = sum(512*kib, product(4, w, m.written))
	case iiif.FormatTIF:
		bytes = sum(512*kib, product(4, w, m.written))
		if m.p.Encoder.Pyramid {
			why = "encoder: lines of every level"
			bytes = sum(2*mib, product(4, PyramidTile, w, m.written))
		}
	case iiif.FormatWebP:
		why = "encoder: whole picture and its planes"
		bytes = sum(times(px, m.webpPerPixel()), mib)
	case iiif.FormatAVIF:
		why = "encoder: whole picture and its planes"
		perPixel := 22.0
		if alpha {
			perPixel = 38
		}
		bytes = sum(times(px, perPixel), 6*mib)
	case iiif.FormatGIF:
		why = "encoder: whole picture and its palette"
		bytes = sum(product(px, 15), min(product(px, 9), 20*mib), 2*mib)
	case iiif.FormatJP2:
		why = "encoder: a tile, and the whole output"
		samples := product(px, m.written)
		tile := product(min(px, 512*512), m.written, 9)
		bytes = sum(samples, tile, mib)
	case iiif.FormatJXL:
		why = "encoder: whole picture in floats"
		perPixel := int64(47)
		if alpha {
			perPixel = 75
		}
		bytes = sum(product(px, perPixel), min(product(px, 12), 8*mib), 3*mib)
	default:
		why = "encoder: unknown, whole picture"
		bytes = sum(product(px, 75), 8*mib)
	}
	return add(nil, StageEncoder, bytes, why)
}

// webpPerPixel is what libwebp takes: an alpha plane is coded without loss, by
// the costly coder, and black and white leaves more to code, block by block.
func (m *measure) webpPerPixel() float64 {
	switch {
	case m.writtenAlpha:
		return 42
	case m.p.Transform.Quality == iiif.QualityBitonal || m.p.Shape.BitsPerSample == 1:
		return 8.5
	}
	return 7.2
}
