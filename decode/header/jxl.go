package header

import (
	"example.com/iiifd/decode/plan"
)

// jxlHeader is how much of a codestream is kept for its header; the image
// headers without extensions take some 100 bytes.
const jxlHeader = 2048

// readJXL reads the image header of a JPEG XL codestream (ISO 18181-1,
// annex D), bare or in a container. The decoder (libjxl) applies the
// orientation itself, so the shape has the upright size and none.
func readJXL(in *input, s *plan.Shape, _ int) error {
	stream, err := jxlStream(in)
	if err != nil {
		return err
	}
	head, err := in.upTo(stream.off, int(min(stream.len, jxlHeader)))
	if err != nil {
		return err
	}
	if len(head) < 4 || head[0] != 0xff || head[1] != 0x0a {
		return in.corrupt("no codestream")
	}
	b := &bits{data: head[2:]}
	s.Width, s.Height = jxlSize(b)
	m := jxlMetadata{b: b, s: s}
	m.read()
	if b.short {
		return in.corrupt("it ends in its header")
	}
	if m.orientation >= 5 {
		s.Width, s.Height = s.Height, s.Width
	}
	s.Bands = m.colours
	if s.Alpha {
		s.Bands++
	}
	return nil
}

// jxlStream finds the codestream, or its first part, in a container.
func jxlStream(in *input) (span, error) {
	b, err := in.at(0, 2)
	if err != nil {
		return span{}, err
	}
	if b[0] == 0xff {
		return span{len: in.size}, nil
	}
	var stream span
	err = in.boxes(span{len: in.size}, func(b box) (bool, error) {
		switch b.kind {
		case "jxlc":
			stream = b.body
		case "jxlp":
			stream = b.body.after(4)
		default:
			return false, nil
		}
		return true, nil
	})
	if err == nil && stream.len == 0 {
		err = in.corrupt("no codestream")
	}
	return stream, err
}

// jxlRatios are the aspect ratios 1 to 7 of a size header.
var jxlRatios = [8][2]uint64{{}, {1, 1}, {12, 10}, {4, 3}, {3, 2}, {16, 9}, {5, 4}, {2, 1}}

func jxlSize(b *bits) (width, height int) {
	small := b.flag()
	side := func() uint64 {
		if small {
			return 8 * (1 + b.u(5))
		}
		return b.u32(choice{1, 9}, choice{1, 13}, choice{1, 18}, choice{1, 30})
	}
	h := side()
	ratio := jxlRatios[b.u(3)]
	if ratio[0] == 0 {
		return int(side()), int(h)
	}
	return int(h * ratio[0] / ratio[1]), int(h)
}

func jxlPreview(b *bits) {
	eight := b.flag()
	side := func() {
		if eight {
			b.u32(choice{16, 0}, choice{32, 0}, choice{1, 5}, choice{33, 9})
			return
		}
		b.u32(choice{1, 6}, choice{65, 8}, choice{321, 10}, choice{1345, 12})
	}
	side()
	if b.u(3) == 0 {
		side()
	}
}

// jxlMetadata reads the ImageMetadata bundle as far as the colour encoding.
type jxlMetadata struct {
	b           *bits
	s           *plan.Shape
	orientation int
	colours     int
}

func (m *jxlMetadata) read() {
	s, b := m.s, m.b
	m.orientation, m.colours = 1, 3
	s.BitsPerSample, s.Colour, s.SRGB = 8, plan.ColourRGB, true
	if b.flag() {
		return // all default: 8-bit sRGB, lossy
	}
	if b.flag() {
		m.extra()
	}
	float, depth := jxlDepth(b)
	s.BitsPerSample = depth
	if float {
		s.Sample = plan.SampleFloat
	}
	b.flag() // 16-bit buffers suffice
	channels := b.u32(choice{0, 0}, choice{1, 0}, choice{2, 4}, choice{1, 12})
	for range channels {
		if b.short {
			return
		}
		if jxlChannel(b) == jxlAlpha {
			s.Alpha = true
		}
	}
	s.Lossless = !b.flag() // XYB is the lossy colour space
	m.encoding()
}

func (m *jxlMetadata) extra() {
	b := m.b
	m.orientation = 1 + int(b.u(3))
	if b.flag() {
		jxlSize(b) // intrinsic size
	}
	if b.flag() {
		jxlPreview(b)
	}
	if b.flag() {
		m.s.Animated = true
		b.u32(choice{100, 0}, choice{1000, 0}, choice{1, 10}, choice{1, 30})
		b.u32(choice{1, 0}, choice{1001, 0}, choice{1, 8}, choice{1, 10})
		b.u32(choice{0, 0}, choice{0, 3}, choice{0, 16}, choice{0, 32})
		b.flag()
	}
}

func jxlDepth(b *bits) (float bool, depth int) {
	if !b.flag() {
		return false, int(b.u32(choice{8, 0}, choice{10, 0}, choice{12, 0}, choice{1, 6}))
	}
	depth = int(b.u32(choice{32, 0}, choice{16, 0}, choice{24, 0}, choice{1, 6}))
	b.u(4)
	return true, depth
}

const (
	jxlAlpha     = 0
	jxlSpotColor = 2
	jxlCFA       = 5
)

// jxlChannel reads an ExtraChannelInfo and returns the channel's type.
func jxlChannel(b *bits) uint64 {
	if b.flag() {
		return jxlAlpha
	}
	kind := b.enum()
	jxlDepth(b)
	b.u32(choice{0, 0}, choice{3, 0}, choice{4, 0}, choice{1, 3})
	name := b.u32(choice{0, 0}, choice{0, 4}, choice{16, 5}, choice{48, 10})
	for range name {
		b.u(8)
	}
	switch kind {
	case jxlAlpha:
		b.flag()
	case jxlSpotColor:
		b.u(64)
	case jxlCFA:
		b.u32(choice{1, 0}, choice{0, 2}, choice{3, 4}, choice{19, 8})
	}
	return kind
}

// The values of the colour encoding bundle (ISO 18181-1, table D.4 and on).
const (
	jxlSpaceRGB      = 0
	jxlSpaceGray     = 1
	jxlSpaceXYB      = 2
	jxlWhiteD65      = 1
	jxlCustom        = 2
	jxlPrimariesSRGB = 1
	jxlCurveSRGB     = 13
)

// encoding reads the ColourEncoding bundle. A profile is stored compressed;
// its length is not known without unpacking it, so any counts as 1 byte.
func (m *jxlMetadata) encoding() {
	s, b := m.s, m.b
	if b.flag() {
		return // sRGB
	}
	profile := b.flag()
	space := b.enum()
	switch space {
	case jxlSpaceRGB, jxlSpaceXYB:
	case jxlSpaceGray:
		s.Colour, m.colours = plan.ColourGray, 1
	default:
		s.Colour = plan.ColourOther
	}
	if profile {
		s.SRGB, s.ICCBytes = false, 1
		return
	}
	s.SRGB = false
	if space == jxlSpaceXYB {
		return
	}
	white := b.enum()
	if white == jxlCustom {
		jxlXY(b)
	}
	primaries := uint64(jxlPrimariesSRGB)
	if space != jxlSpaceGray {
		if primaries = b.enum(); primaries == jxlCustom {
			jxlXY(b)
			jxlXY(b)
			jxlXY(b)
		}
	}
	if b.flag() {
		b.u(24) // a plain gamma
	} else {
		s.SRGB = b.enum() == jxlCurveSRGB && white == jxlWhiteD65 && primaries == jxlPrimariesSRGB
	}
	if !s.SRGB {
		s.ICCBytes = 1 // libjxl makes a profile of it
	}
}

// jxlXY reads a custom chromaticity.
func jxlXY(b *bits) {
	for range 2 {
		b.u32(choice{0, 19}, choice{524288, 19}, choice{1048576, 20}, choice{2097152, 21})
	}
}
