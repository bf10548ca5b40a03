package header

// The TIFF tags read here (TIFF 6.0 and its technical notes).
const (
	tagNewSubfileType   = 254
	tagImageWidth       = 256
	tagImageLength      = 257
	tagBitsPerSample    = 258
	tagCompression      = 259
	tagPhotometric      = 262
	tagStripOffsets     = 273
	tagSamplesPerPixel  = 277
	tagRowsPerStrip     = 278
	tagPlanar           = 284
	tagColorMap         = 320
	tagTileWidth        = 322
	tagTileLength       = 323
	tagTileOffsets      = 324
	tagSubIFDs          = 330
	tagInkSet           = 332
	tagSampleFormat     = 339
	tagYCbCrSubsampling = 530
	tagICC              = 34675
	subfileReduced      = 1
	subfilePage         = 2
	subfileMask         = 4
	photometricMask     = 4
	unboundedRows       = 1 << 31
)

// directoryTags are the tags whose entries a directory keeps; the index in
// here is the index in directory.entries.
var directoryTags = [...]uint16{
	tagNewSubfileType, tagImageWidth, tagImageLength, tagBitsPerSample, tagCompression,
	tagPhotometric, tagStripOffsets, tagSamplesPerPixel, tagRowsPerStrip,
	tagPlanar, tagColorMap, tagTileWidth, tagTileLength, tagTileOffsets, tagSubIFDs, tagInkSet,
	tagSampleFormat, tagYCbCrSubsampling, tagICC, tagOrientation, tagTileByteCounts, tagJPEGTables,
}

// directory is one image file directory: the entries that matter.
type directory struct {
	off     int64
	entries [len(directoryTags)]entry
}

func (d *directory) set(tag uint16, e entry) {
	for i, t := range directoryTags {
		if t == tag {
			d.entries[i] = e
			return
		}
	}
}

func (d *directory) entry(tag uint16) entry {
	for i, t := range directoryTags {
		if t == tag {
			return d.entries[i]
		}
	}
	return entry{}
}

// number is the first value of a tag, or fallback where there is none.
func (r ifdReader) number(d *directory, tag uint16, fallback int64) (int64, error) {
	v, ok, err := r.value(d.entry(tag), 0)
	if err != nil {
		return 0, err
	}
	if !ok {
		return fallback, nil
	}
	return v, nil
}

// plane is the geometry and coding of one directory's pixels.
type plane struct {
	width, height         int64
	tileWidth, tileHeight int64
	tiled                 bool
	pieces                int64 // strips or tiles stored
	subfile               int64
	bits, samples         int64
	compression           int64
	photometric           int64
	planar                bool
}

// plane reads what tells levels, masks and pages apart.
func (r ifdReader) plane(d *directory) (plane, error) {
	var p plane
	planar := int64(1)
	rows := int64(0)
	for _, f := range []struct {
		into     *int64
		tag      uint16
		fallback int64
	}{
		{&p.width, tagImageWidth, 0},
		{&p.height, tagImageLength, 0},
		{&p.tileWidth, tagTileWidth, 0},
		{&p.tileHeight, tagTileLength, 0},
		{&p.subfile, tagNewSubfileType, 0},
		{&p.bits, tagBitsPerSample, 1},
		{&p.samples, tagSamplesPerPixel, 1},
		{&p.compression, tagCompression, 1},
		{&p.photometric, tagPhotometric, 1},
		{&planar, tagPlanar, 1},
		{&rows, tagRowsPerStrip, unboundedRows},
	} {
		v, err := r.number(d, f.tag, f.fallback)
		if err != nil {
			return p, err
		}
		*f.into = v
	}
	p.planar = planar == 2
	p.tiled = p.tileWidth > 0 && p.tileHeight > 0
	p.pieces = d.entry(tagTileOffsets).count
	if !p.tiled {
		p.tileWidth, p.tileHeight = p.width, max(1, min(rows, p.height))
		p.pieces = d.entry(tagStripOffsets).count
	}
	return p, nil
}

// mask tells whether a directory holds a transparency mask.
func (p plane) mask() bool { return p.subfile&subfileMask != 0 || p.photometric == photometricMask }

// fits tells whether p is q made smaller by a whole factor: each side the
// floor or the ceiling of q's over the same factor.
func (p plane) fits(q plane) (factor int64, ok bool) {
	if p.width < 1 || p.height < 1 || p.width >= q.width && p.height >= q.height {
		return 0, false
	}
	// The factor is told by the longer side, where the rounding matters least.
	long, longQ := p.width, q.width
	if q.height > q.width {
		long, longQ = p.height, q.height
	}
	for _, f := range []int64{longQ / long, longQ/long + 1} {
		if f >= 2 && scaled(p.width, q.width, f) && scaled(p.height, q.height, f) {
			return f, true
		}
	}
	return 0, false
}

func scaled(small, full, factor int64) bool {
	return small == max(1, full/factor) || small == (full+factor-1)/factor
}

// sameKind tells whether two directories hold the same sort of samples, as
// the levels of one image do. A level may be compressed in another way.
func (p plane) sameKind(q plane) bool {
	return p.bits == q.bits && p.samples == q.samples && p.planar == q.planar &&
		colourClass(p.photometric) == colourClass(q.photometric)
}

// colourClass is the photometric interpretation without the differences that
// only compression makes: a JPEG level is often YCbCr below an RGB page.
func colourClass(photometric int64) int64 {
	switch photometric {
	case photometricWhite:
		return photometricBlack
	case photometricYCbCr:
		return photometricRGB
	}
	return photometric
}
