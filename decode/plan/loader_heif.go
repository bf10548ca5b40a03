package plan

// heif: libheif decodes the whole picture, whatever is asked of it
// (heifload.c, vips_foreign_load_heif_generate), and reads the whole file.
func (m *measure) heif() []Part {
	s := m.p.Shape
	perPixel := 8.0
	if s.Loader == LoaderAVIF {
		perPixel = 7.1
	}
	if s.BitsPerSample > 8 {
		perPixel *= 2
	}
	if s.Alpha {
		perPixel *= 1.5
	}
	codec := sum(times(m.pixels(), perPixel), s.FileSize, 2*mib)
	return add(m.lineCache(1), StageCodec, codec, "picture, whole, in planes and in pixels")
}
