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
	case iiif.FormatJPG:
		bytes = sum(256*kib, product(64, w))
	case iiif.FormatPNG:
		bytes = sum(3*mib/2, product(4, w, m.written))
	case iiif.FormatTIF:
		bytes = sum(512*kib, product(4, w, m.written))
		if m.p.Encoder.Pyramid {
			why = "encoder: lines of every level"
			bytes = sum(2*mib, product(4, PyramidTile, w, m.written))
		}
	case iiif.FormatWebP:
		// An alpha plane is coded without loss, by the costly coder.
		why = "encoder: whole picture and its planes"
		perPixel := 7.5
		if alpha {
			perPixel = 42
		}
		bytes = sum(times(px, perPixel), 5*mib/2)
	case iiif.FormatAVIF:
		why = "encoder: whole picture and its planes"
		bytes = sum(times(px, 24), 8*mib)
	case iiif.FormatGIF:
		why = "encoder: whole picture and its palette"
		bytes = sum(product(px, 15), min(product(px, 9), 20*mib), mib)
	case iiif.FormatJP2:
		why = "encoder: a tile, and the whole output"
		samples := product(px, m.written)
		tile := product(min(px, 512*512), m.written, 12)
		bytes = sum(samples, tile, mib)
	case iiif.FormatJXL:
		why = "encoder: whole picture in floats"
		perPixel := int64(50)
		if alpha {
			perPixel = 75
		}
		bytes = sum(product(px, perPixel), 2*mib)
	case iiif.FormatPDF:
		why = "encoder: the page's JPEG, kept until the end"
		bytes = sum(product(64, w), times(px, jpegBytes(m.p.Encoder)), mib)
	default:
		why = "encoder: unknown, whole picture"
		bytes = sum(product(px, 75), 8*mib)
	}
	return add(nil, StageEncoder, bytes, why)
}

// jpegBytes is the size per pixel of a JPEG of noise, and of the room that a
// growing buffer leaves.
func jpegBytes(e Encoder) float64 {
	perPixel := 1.5
	switch {
	case e.Quality > 90:
		perPixel = 6
	case e.Quality > 80:
		perPixel = 2.5
	}
	if e.Subsampling == "4:4:4" {
		perPixel *= 1.5
	}
	return perPixel
}
