package header

import (
	"encoding/binary"
	"fmt"

	"example.com/iiifd/decode/plan"
)

// The JPEG markers of ITU T.81, table B.1, that are told apart.
const (
	markerDHT   = 0xc4
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerRST0  = 0xd0
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDRI   = 0xdd
	markerAPP0  = 0xe0
	markerAPP1  = 0xe1
	markerAPP2  = 0xe2
	markerAPP14 = 0xee
	markerTEM   = 0x01
)

// jpegFacts is what the segments before the first scan say beyond the shape.
type jpegFacts struct {
	frame     bool
	jfif      bool
	adobe     int // the Adobe segment's transform, -1 without one
	exif      bool
	ids       [4]byte
	h, v      [4]int
	firstICC  span
	iccLength int64
}

// readJPEG walks the segments up to the first scan (ITU T.81, annex B).
func readJPEG(in *input, s *plan.Shape, _ int) error {
	facts := jpegFacts{adobe: -1}
	off := int64(2)
	for {
		marker, body, next, err := jpegSegment(in, off)
		if err != nil {
			return err
		}
		if marker == markerSOS {
			break
		}
		if marker == markerEOI {
			return in.corrupt("it has no scan")
		}
		if err := facts.take(in, s, marker, body); err != nil {
			return err
		}
		off = next
	}
	if !facts.frame {
		return in.corrupt("a scan before its frame")
	}
	s.Colour = facts.colour(s.Bands)
	s.Subsampling = facts.subsampling(s.Bands)
	s.ICCBytes = facts.iccLength
	if facts.iccLength > 0 {
		s.SRGB = describesSRGB(in, facts.firstICC)
	}
	return nil
}

// jpegSegment returns the marker at off, the segment's body and where the
// next marker is to be looked for.
func jpegSegment(in *input, off int64) (marker byte, body span, next int64, err error) {
	b, err := in.at(off, 2)
	if err != nil {
		return 0, span{}, 0, err
	}
	// libjpeg skips garbage between segments; a long run of it is no JPEG.
	for skipped := 0; b[0] != 0xff || b[1] == 0xff || b[1] == 0; skipped++ {
		if skipped > window {
			return 0, span{}, 0, in.corrupt("no marker where one must be")
		}
		off++
		if b, err = in.at(off, 2); err != nil {
			return 0, span{}, 0, err
		}
	}
	marker = b[1]
	if marker == markerTEM || marker >= markerRST0 && marker <= markerEOI {
		return marker, span{}, off + 2, nil
	}
	n, err := in.be16(off + 2)
	if err != nil {
		return 0, span{}, 0, err
	}
	if n < 2 {
		return 0, span{}, 0, in.corrupt("a segment shorter than its own length")
	}
	return marker, span{off: off + 4, len: int64(n) - 2}, off + 2 + int64(n), nil
}

func (f *jpegFacts) take(in *input, s *plan.Shape, marker byte, body span) error {
	switch {
	case marker >= 0xc0 && marker <= 0xcf && marker != markerDHT && marker != markerJPG && marker != markerDAC:
		return f.takeFrame(in, s, marker, body)
	case marker == markerAPP0:
		f.jfif = f.jfif || hasPrefix(in, body, "JFIF\x00")
	case marker == markerAPP1 && !f.exif && hasPrefix(in, body, exifPrefix):
		f.exif = true
		s.Orientation = exifOrientation(in, body.after(int64(len(exifPrefix))))
	case marker == markerAPP2 && hasPrefix(in, body, "ICC_PROFILE\x00") && body.len >= 14:
		chunk := body.after(14)
		if f.iccLength == 0 {
			f.firstICC = chunk
		}
		f.iccLength += chunk.len
	case marker == markerAPP14 && hasPrefix(in, body, "Adobe") && body.len >= 12:
		b, err := in.within(body, 11, 1)
		if err != nil {
			return err
		}
		f.adobe = int(b[0])
	case marker == markerDRI && body.len >= 2:
		n, err := in.be16(body.off)
		if err != nil {
			return err
		}
		s.RestartInterval = int(n)
	}
	return nil
}

func (f *jpegFacts) takeFrame(in *input, s *plan.Shape, marker byte, body span) error {
	b, err := in.within(body, 0, 6)
	if err != nil {
		return err
	}
	if f.frame {
		return in.corrupt("two frames (hierarchical coding)")
	}
	f.frame = true
	s.BitsPerSample = int(b[0])
	s.Height = int(binary.BigEndian.Uint16(b[1:]))
	s.Width = int(binary.BigEndian.Uint16(b[3:]))
	s.Bands = int(b[5])
	kind := marker & 3
	s.Progressive = kind == 2
	s.Lossless = kind == 3
	if s.Bands < 1 || s.Bands > 4 {
		return in.corrupt("%d components", s.Bands)
	}
	comps, err := in.within(body, 6, 3*s.Bands)
	if err != nil {
		return err
	}
	for i := range s.Bands {
		f.ids[i] = comps[3*i]
		f.h[i], f.v[i] = int(comps[3*i+1]>>4), int(comps[3*i+1]&15)
		if f.h[i] < 1 || f.h[i] > 4 || f.v[i] < 1 || f.v[i] > 4 {
			return in.corrupt("a sampling factor out of 1 to 4")
		}
	}
	return nil
}

// colour follows libjpeg's default_decompress_parms (jdapimin.c).
func (f *jpegFacts) colour(bands int) plan.Colour {
	switch bands {
	case 1:
		return plan.ColourGray
	case 3:
		rgb := string(f.ids[:3]) == "RGB"
		if !f.jfif && (f.adobe == 0 || f.adobe < 0 && rgb) {
			return plan.ColourRGB
		}
		return plan.ColourYCbCr
	case 4:
		if f.adobe == 2 {
			return plan.ColourYCCK
		}
		return plan.ColourCMYK
	}
	return plan.ColourOther
}

// subsampling names the ratio of the first to the second component's
// sampling; "other" where the components do not fit one of the usual names.
func (f *jpegFacts) subsampling(bands int) string {
	if bands < 3 {
		return ""
	}
	if f.h[1] != f.h[2] || f.v[1] != f.v[2] || bands == 4 && (f.h[3] != f.h[0] || f.v[3] != f.v[0]) {
		return subsamplingOther
	}
	if f.h[0]%f.h[1] != 0 || f.v[0]%f.v[1] != 0 {
		return subsamplingOther
	}
	return subsamplingName(f.h[0]/f.h[1], f.v[0]/f.v[1])
}

const subsamplingOther = "other"

// subsamplingName gives the usual name of chroma planes that are h times
// narrower and v times lower than luma.
func subsamplingName(h, v int) string {
	switch [2]int{h, v} {
	case [2]int{1, 1}:
		return "4:4:4"
	case [2]int{2, 1}:
		return "4:2:2"
	case [2]int{2, 2}:
		return "4:2:0"
	case [2]int{1, 2}:
		return "4:4:0"
	case [2]int{4, 1}:
		return "4:1:1"
	case [2]int{4, 2}:
		return "4:1:0"
	}
	return fmt.Sprintf("%dx%d", h, v)
}
