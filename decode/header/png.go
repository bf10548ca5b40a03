package header

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"example.com/iiifd/decode/plan"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// The PNG colour types (PNG 3rd edition, table 9).
const (
	pngGray      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngRGBA      = 6
)

// readPNG walks the chunks up to the first IDAT.
func readPNG(in *input, s *plan.Shape, _ int) error {
	h, err := in.at(8, 8+13)
	if err != nil {
		return err
	}
	if string(h[4:8]) != "IHDR" || binary.BigEndian.Uint32(h) != 13 {
		return in.corrupt("its first chunk is not IHDR")
	}
	h = h[8:]
	s.Width, s.Height = int(binary.BigEndian.Uint32(h)), int(binary.BigEndian.Uint32(h[4:]))
	s.BitsPerSample = int(h[8])
	colour, interlace := h[9], h[12]
	s.Progressive = interlace != 0
	s.Lossless = true
	if err := pngColour(in, s, colour); err != nil {
		return err
	}
	if interlace > 1 {
		return in.corrupt("interlace method %d", interlace)
	}
	return pngChunks(in, s, colour)
}

func pngColour(in *input, s *plan.Shape, colour byte) error {
	switch colour {
	case pngGray:
		s.Colour, s.Bands = plan.ColourGray, 1
	case pngRGB:
		s.Colour, s.Bands = plan.ColourRGB, 3
	case pngPalette:
		s.Colour, s.Bands, s.Palette = plan.ColourRGB, 3, true
	case pngGrayAlpha:
		s.Colour, s.Bands, s.Alpha = plan.ColourGray, 2, true
	case pngRGBA:
		s.Colour, s.Bands, s.Alpha = plan.ColourRGB, 4, true
	default:
		return in.corrupt("colour type %d", colour)
	}
	switch s.BitsPerSample {
	case 8:
		return nil
	case 16:
		if colour != pngPalette {
			return nil
		}
	case 1, 2, 4:
		if colour == pngGray || colour == pngPalette {
			return nil
		}
	}
	return in.corrupt("%d bits with colour type %d", s.BitsPerSample, colour)
}

func pngChunks(in *input, s *plan.Shape, colour byte) error {
	palette, room := false, int64(maxPNGText)
	for off := int64(8 + 25); ; {
		h, err := in.at(off, 8)
		if err != nil {
			return err
		}
		body := span{off: off + 8, len: int64(binary.BigEndian.Uint32(h))}
		switch string(h[4:8]) {
		case "IDAT":
			if colour == pngPalette && !palette {
				return in.corrupt("no palette before the pixels")
			}
			return nil
		case "IEND":
			return in.corrupt("no pixels")
		case "PLTE":
			palette = true
		case "tRNS":
			if !s.Alpha {
				s.Alpha = true
				s.Bands++
			}
		case "sRGB":
			s.SRGB = true
		case "iCCP":
			pngProfile(in, s, body)
		case "zTXt", "iTXt":
			if room -= pngText(in, string(h[4:8]), body, room); room < 0 {
				return in.corrupt("compressed texts of more than %d bytes", int64(maxPNGText))
			}
		case "acTL":
			s.Animated = true
		case "eXIf":
			s.Orientation = exifOrientation(in, body)
		}
		off = body.off + body.len + 4
	}
}

// maxPNGText is how much compressed texts before the pixels may unpack to, in
// bytes: libpng unpacks each of them, up to 8 MB a chunk, before an image can
// be looked at.
const maxPNGText = 16 << 20

// pngText returns how many bytes a text chunk unpacks to, counted up to one
// more than most. A damaged one counts as far as it goes, as libpng reads it.
func pngText(in *input, kind string, chunk span, most int64) int64 {
	const longest = 1 << 10 // Keyword, language and the keyword in it.
	b, err := in.upTo(chunk.off, int(min(chunk.len, longest)))
	if err != nil {
		return 0
	}
	packed := bytes.IndexByte(b, 0) + 2 // Behind the keyword: the method.
	if kind == "iTXt" && packed >= 2 {
		if packed >= len(b) || b[packed-1] == 0 { // Not compressed.
			return 0
		}
		for range 2 { // Language and translated keyword.
			packed++
			end := bytes.IndexByte(b[min(packed, len(b)):], 0)
			if end < 0 { // Nobody writes these so long but to hide what follows.
				return most + 1
			}
			packed += end
		}
		packed++
	}
	if packed < 2 || packed > len(b) {
		return 0
	}
	z, err := zlib.NewReader(io.NewSectionReader(in.r, chunk.off+int64(packed), chunk.len-int64(packed)))
	if err != nil {
		return 0
	}
	n, _ := io.CopyN(io.Discard, z, most+1) // However it ends, libpng would have unpacked this.
	return n
}

// maxProfile is how much of a compressed profile is unpacked to look at it;
// sRGB profiles have 0.4 to 60 KB.
const maxProfile = 64 << 10

// pngProfile reads the head of a zlib-compressed profile. A damaged one is
// dropped, as libpng does.
func pngProfile(in *input, s *plan.Shape, chunk span) {
	b, err := in.upTo(chunk.off, int(min(chunk.len, maxSpan)))
	if err != nil {
		return
	}
	name := bytes.IndexByte(b[:min(len(b), 80)], 0)
	if name < 0 || name+2 > len(b) {
		return
	}
	z, err := zlib.NewReader(bytes.NewReader(b[name+2:]))
	if err != nil {
		return
	}
	profile, err := io.ReadAll(io.LimitReader(z, maxProfile))
	if err != nil && len(profile) < 132 || len(profile) < 132 {
		return
	}
	s.ICCBytes = max(1, int64(binary.BigEndian.Uint32(profile)))
	s.SRGB = describesSRGB(in, span{len: int64(len(profile)), mem: profile})
}
