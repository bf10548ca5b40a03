package header

import (
	"encoding/binary"
	"errors"
	"testing"

	"example.com/iiifd/decode/plan"
)

// field is one entry of a directory that tiffFile writes; every value is a
// LONG.
type field struct {
	tag    uint16
	values []uint32
}

// image is one directory for tiffFile.
type image struct {
	width, height uint32
	fields        []field
	subs          []image
}

func page(width, height uint32, fields ...field) image {
	return image{width: width, height: height, fields: fields}
}

func rgb8(tile uint32) []field {
	f := []field{{tagBitsPerSample, []uint32{8, 8, 8}}, {tagPhotometric, []uint32{photometricRGB}}, {tagSamplesPerPixel, []uint32{3}}}
	if tile > 0 {
		f = append(f, field{tagTileWidth, []uint32{tile}}, field{tagTileLength, []uint32{tile}})
	}
	return f
}

func with(fields []field, more ...field) []field {
	return append(append([]field(nil), fields...), more...)
}

// tiffFile writes directories without pixels. The last one points to next.
func tiffFile(next uint32, images ...image) []byte {
	le := binary.LittleEndian
	b := []byte("II*\x00\x00\x00\x00\x00")
	link := 4
	var write func(im image, last bool) uint32
	write = func(im image, last bool) uint32 {
		fields := append([]field{{tagImageWidth, []uint32{im.width}}, {tagImageLength, []uint32{im.height}}}, im.fields...)
		if len(im.subs) > 0 {
			var offs []uint32
			for _, s := range im.subs {
				offs = append(offs, write(s, true))
			}
			fields = append(fields, field{tagSubIFDs, offs})
		}
		var spill []uint32
		for _, f := range fields {
			spill = append(spill, uint32(len(b)))
			if len(f.values) > 1 {
				for _, v := range f.values {
					b = le.AppendUint32(b, v)
				}
			}
		}
		at := uint32(len(b))
		b = le.AppendUint16(b, uint16(len(fields)))
		for i, f := range fields {
			b = le.AppendUint16(b, f.tag)
			b = le.AppendUint16(b, typeLong)
			b = le.AppendUint32(b, uint32(len(f.values)))
			v := spill[i]
			if len(f.values) == 1 {
				v = f.values[0]
			}
			b = le.AppendUint32(b, v)
		}
		b = le.AppendUint32(b, 0)
		return at
	}
	for i, im := range images {
		at := write(im, i == len(images)-1)
		le.PutUint32(b[link:], at)
		link = len(b) - 4
	}
	le.PutUint32(b[link:], next)
	return b
}

var (
	reduced = field{tagNewSubfileType, []uint32{subfileReduced}}
	ofMany  = field{tagNewSubfileType, []uint32{subfilePage}}
	aMask   = field{tagNewSubfileType, []uint32{subfileMask}}
)

func TestTIFFRoles(t *testing.T) {
	for _, c := range []struct {
		name   string
		images []image
		pages  int
		levels string // of page 0
	}{
		{"one page", []image{page(1000, 700, rgb8(0)...)}, 1, "1000x700/1000x700"},
		{
			"marked levels, floor and ceiling",
			[]image{page(1001, 701, rgb8(256)...), page(500, 350, with(rgb8(256), reduced)...), page(251, 176, with(rgb8(256), reduced)...)},
			1, "1001x701/256x256t 500x350/256x256t@1,-1 251x176/256x256t@2,-1",
		},
		{
			"levels not marked",
			[]image{page(1001, 701, rgb8(256)...), page(501, 351, rgb8(256)...), page(250, 175, rgb8(256)...)},
			1, "1001x701/256x256t 501x351/256x256t@1,-1 250x175/256x256t@2,-1",
		},
		{
			"marked, factor 3",
			[]image{page(1001, 701, rgb8(256)...), page(334, 234, with(rgb8(256), reduced)...)},
			1, "1001x701/256x256t 334x234/256x256t@1,-1",
		},
		{
			"not marked, factor 3: a page",
			[]image{page(1001, 701, rgb8(256)...), page(334, 234, rgb8(256)...)},
			2, "1001x701/256x256t",
		},
		{
			"marked, but of another shape: neither",
			[]image{page(1001, 701, rgb8(256)...), page(160, 160, with(rgb8(0), reduced)...)},
			1, "1001x701/256x256t",
		},
		{
			"half as large, but said to be a page",
			[]image{page(1000, 700, with(rgb8(256), ofMany)...), page(500, 350, with(rgb8(256), ofMany)...)},
			2, "1000x700/256x256t",
		},
		{
			"equal pages",
			[]image{page(1000, 700, rgb8(0)...), page(1000, 700, rgb8(0)...), page(1000, 700, rgb8(0)...)},
			3, "1000x700/1000x700",
		},
		{
			"half as large, of other samples: a page",
			[]image{page(1000, 700, rgb8(0)...), page(500, 350, field{tagBitsPerSample, []uint32{8}})},
			2, "1000x700/1000x700",
		},
		{
			"a mask is no page",
			[]image{page(1000, 700, rgb8(0)...), page(1000, 700, with([]field{{tagBitsPerSample, []uint32{1}}}, aMask)...)},
			1, "1000x700/1000x700",
		},
		{
			"pages with levels of their own",
			[]image{page(1000, 700, rgb8(64)...), page(500, 350, with(rgb8(64), reduced)...), page(800, 600, rgb8(64)...), page(400, 300, with(rgb8(64), reduced)...)},
			2, "1000x700/64x64t 500x350/64x64t@1,-1",
		},
		{
			"levels below the page",
			[]image{{width: 1000, height: 700, fields: rgb8(64), subs: []image{page(500, 350, rgb8(64)...), page(100, 100, rgb8(64)...), page(250, 175, rgb8(64)...)}}},
			1, "1000x700/64x64t 500x350/64x64t@0,0 250x175/64x64t@0,2",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readBytes(tiffFile(0, c.images...), -1)
			if err != nil {
				t.Fatal(err)
			}
			if s.Pages != c.pages {
				t.Errorf("%d pages, want %d", s.Pages, c.pages)
			}
			if got := levels(s); got != c.levels {
				t.Errorf("levels %s, want %s", got, c.levels)
			}
		})
	}
}

func TestTIFFSecondPage(t *testing.T) {
	b := tiffFile(0, page(1000, 700, rgb8(64)...), page(500, 350, with(rgb8(64), reduced)...), page(800, 600, rgb8(64)...), page(400, 300, with(rgb8(64), reduced)...))
	s, err := readBytes(b, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := levels(s), "800x600/64x64t@2,-1 400x300/64x64t@3,-1"; got != want || s.Page != 1 {
		t.Errorf("page %d, levels %s, want %s", s.Page, got, want)
	}
	if _, err := readBytes(b, 2); !errors.Is(err, ErrNoPage) {
		t.Errorf("page 2: %v, want ErrNoPage", err)
	}
}

// TestTIFFCycles has chains that come back to themselves.
func TestTIFFCycles(t *testing.T) {
	one := tiffFile(0, page(100, 70, rgb8(0)...))
	first := binary.LittleEndian.Uint32(one[4:])
	s, err := readBytes(tiffFile(first, page(100, 70, rgb8(0)...)), -1)
	if err != nil || s.Pages != 1 {
		t.Errorf("self-reference: %d pages, %v", s.Pages, err)
	}
	s, err = readBytes(tiffFile(first, page(100, 70, rgb8(0)...), page(90, 70, rgb8(0)...)), -1)
	if err != nil || s.Pages != 2 {
		t.Errorf("cycle of two: %d pages, %v", s.Pages, err)
	}
	self := tiffFile(0, image{width: 100, height: 70, fields: rgb8(0), subs: []image{page(50, 35, rgb8(0)...)}})
	first = binary.LittleEndian.Uint32(self[4:])
	n := binary.LittleEndian.Uint16(self[first:])
	binary.LittleEndian.PutUint32(self[int(first)+2+12*(int(n)-1)+8:], first)
	if s, err = readBytes(self, -1); err != nil || len(s.Levels) != 1 {
		t.Errorf("directory below itself: %d levels, %v", len(s.Levels), err)
	}
}

func TestTIFFDamaged(t *testing.T) {
	for name, b := range map[string][]byte{
		"no directory":        []byte("II*\x00\x08\x00\x00\x00"),
		"directory outside":   []byte("II*\x00\xff\xff\xff\x7f"),
		"no pixels":           tiffFile(0, page(0, 70, rgb8(0)...)),
		"too wide":            tiffFile(0, page(20_000_000, 1, rgb8(0)...)),
		"palette, no map":     tiffFile(0, page(10, 10, field{tagPhotometric, []uint32{photometricPalette}}, field{tagBitsPerSample, []uint32{8}})),
		"4-byte BigTIFF":      []byte("II+\x00\x04\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"),
		"BigTIFF far offset":  []byte("II+\x00\x08\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"),
		"impossible channels": tiffFile(0, page(10, 10, field{tagSamplesPerPixel, []uint32{1 << 20}})),
	} {
		if _, err := readBytes(b, -1); !isCorrupt(err) {
			t.Errorf("%s: %v, want a CorruptError", name, err)
		}
	}
}

func TestJPEGTilesCanBePassed(t *testing.T) {
	jpeg := field{tagCompression, []uint32{compressionJPEG}}
	ycbcr := []field{{tagBitsPerSample, []uint32{8, 8, 8}}, {tagPhotometric, []uint32{photometricYCbCr}}, {tagSamplesPerPixel, []uint32{3}}, jpeg}
	tile := []field{{tagTileWidth, []uint32{256}}, {tagTileLength, []uint32{256}}}
	for _, c := range []struct {
		name   string
		fields []field
		want   bool
	}{
		{"ycbcr", with(ycbcr, tile...), true},
		{"strips", ycbcr, false},
		{"rgb", with(rgb8(256), jpeg), true},
		{"planar", with(with(ycbcr, tile...), field{tagPlanar, []uint32{2}}), false},
		{"gray", with(tile, field{tagBitsPerSample, []uint32{8}}, jpeg), true},
		{"white is zero", with(tile, field{tagBitsPerSample, []uint32{8}}, jpeg, field{tagPhotometric, []uint32{photometricWhite}}), false},
	} {
		s, err := readBytes(tiffFile(0, page(1000, 700, c.fields...)), -1)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if s.Levels[0].JPEGTiles != c.want {
			t.Errorf("%s: %v, want %v", c.name, s.Levels[0].JPEGTiles, c.want)
		}
	}
}

func TestTIFFColours(t *testing.T) {
	cmyk := page(10, 10, field{tagPhotometric, []uint32{photometricInks}}, field{tagSamplesPerPixel, []uint32{4}}, field{tagBitsPerSample, []uint32{8, 8, 8, 8}})
	s, err := readBytes(tiffFile(0, cmyk), -1)
	if err != nil || s.Colour != plan.ColourCMYK || s.Alpha {
		t.Errorf("inks: %s, alpha %v, %v", s.Colour, s.Alpha, err)
	}
	many := page(10, 10, field{tagSamplesPerPixel, []uint32{16}}, field{tagBitsPerSample, []uint32{8, 8}}, field{tagPlanar, []uint32{2}})
	s, err = readBytes(tiffFile(0, many), -1)
	if err != nil || s.Bands != 16 || !s.Planar {
		t.Errorf("16 channels: %d bands, planar %v, %v", s.Bands, s.Planar, err)
	}
}
