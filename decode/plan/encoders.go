package plan

import "example.com/iiifd/iiif"

// encoder lists the encoder's own memory.
func (m *measure) encoder() []Part {
	w, px := m.outW, product(m.outW, m.outH)
	alpha := m.written == 2 || m.written == 4
	var bytes int64
	why := "encoder"
	switch m.p.Encoder.Format {
	case iiif.FormatJPG:
		bytes = sum(256*kib, product(64, w))
	case iiif.FormatPNG:
		bytes = sum(512*kib, product(4, w, m.written))
	case iiif.FormatTIF:
		bytes = sum(512*kib, product(4, w, m.written))
	case iiif.FormatWebP:
		why = "encoder: whole picture and its planes"
		perPixel := 6.3
		if alpha {
			perPixel = 13.4
		}
		bytes = sum(times(px, perPixel), 3*mib/2)
	case iiif.FormatAVIF:
		why = "encoder: whole picture and its search"
		bytes = sum(times(px, 21.5), 8*mib)
	case iiif.FormatGIF:
		why = "encoder: whole picture and its palette"
		bytes = sum(product(px, 12), 2*mib)
	case iiif.FormatJP2:
		why = "encoder: tiles, and the whole output"
		bytes = sum(product(px, m.written, 2), product(512, max(w, 512), m.written, 8), 4*mib)
	case iiif.FormatJXL:
		why = "encoder: whole picture in floats"
		bytes = sum(product(px, 40), 8*mib)
	case iiif.FormatPDF:
		why = "encoder: the page's JPEG, kept until the end"
		bytes = sum(product(64, w), product(px, 4), mib)
	default:
		bytes = sum(product(px, 40), 8*mib)
	}
	return add(nil, StageEncoder, bytes, why)
}
