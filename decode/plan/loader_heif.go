package plan

// heif: libheif decodes the whole picture, whatever is asked of it
// (heifload.c, vips_foreign_load_heif_generate), and reads the whole file.
func (m *measure) heif() []Part {
	s := m.p.Shape
	perPixel, base := 7.6, int64(3*mib)
	if s.Loader == LoaderAVIF {
		perPixel, base = 6.6, 15*mib/2
	}
	if s.BitsPerSample > 8 {
		perPixel *= 2
	}
	if s.Alpha {
		perPixel *= 1.2
		base += 3 * mib
	}
	codec := sum(times(m.pixels(), perPixel), s.FileSize, base)
	return add(m.lineCache(1), StageCodec, codec, "picture, whole, in planes and in pixels")
}

// heifDecoded is what is left of it once the first line is there: the pixels,
// which are stored with the samples' own size, and part of what was freed,
// which the allocator keeps for a second.
func (m *measure) heifDecoded() []Part {
	s := m.p.Shape
	perPixel, base := 3.3, int64(6*mib)
	if s.Loader == LoaderAVIF {
		base = 11 * mib
	}
	if s.Alpha {
		perPixel = 4.3
	}
	if s.BitsPerSample > 8 {
		perPixel *= 2
	}
	return add(m.lineCache(1), StageCodec, sum(times(m.pixels(), perPixel), s.FileSize, base), "picture, whole, in pixels")
}
