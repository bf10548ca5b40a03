package header

import (
	"encoding/binary"

	"example.com/iiifd/decode/plan"
)

// readWebP walks the RIFF chunks (WebP container specification). Metadata
// follows the pixels, so the walk goes to the end, from chunk head to head.
func readWebP(in *input, s *plan.Shape, _ int) error {
	s.BitsPerSample = 8
	s.Bands = 3
	s.Colour = plan.ColourYCbCr
	s.Subsampling = "4:2:0"
	w := webpFacts{in: in, s: s}
	length, err := in.at(4, 4)
	if err != nil {
		return err
	}
	end := min(in.size, 8+int64(binary.LittleEndian.Uint32(length)))
	if err := w.chunks(12, end, false); err != nil {
		return err
	}
	if !w.image {
		return in.corrupt("no image chunk")
	}
	if s.Alpha {
		s.Bands = 4
	}
	s.Pages = max(1, w.frames)
	s.Animated = w.frames > 1
	return nil
}

type webpFacts struct {
	in       *input
	s        *plan.Shape
	image    bool // an image chunk has been seen
	extended bool // VP8X has set the canvas
	frames   int
}

func (w *webpFacts) chunks(off, end int64, inFrame bool) error {
	for off+8 <= end {
		h, err := w.in.at(off, 8)
		if err != nil {
			return err
		}
		body := span{off: off + 8, len: int64(binary.LittleEndian.Uint32(h[4:]))}
		if err := w.take(string(h[:4]), body, inFrame); err != nil {
			return err
		}
		off = body.off + body.len + body.len&1
	}
	return nil
}

func (w *webpFacts) take(name string, body span, inFrame bool) error {
	switch name {
	case "VP8X":
		return w.canvas(body)
	case "VP8 ":
		return w.lossy(body)
	case "VP8L":
		return w.lossless(body)
	case "ALPH":
		w.s.Alpha = true
	case "ANMF":
		w.frames++
		// The first frame tells how the pixels are coded.
		if w.frames == 1 && !inFrame && body.len > 16 {
			return w.chunks(body.off+16, min(w.in.size, body.off+body.len), true)
		}
	case "ICCP":
		w.s.ICCBytes = body.len
		w.s.SRGB = describesSRGB(w.in, body)
	case "EXIF":
		w.s.Orientation = exifOrientation(w.in, body)
	}
	return nil
}

func (w *webpFacts) canvas(body span) error {
	b, err := w.in.within(body, 0, 10)
	if err != nil {
		return err
	}
	w.extended = true
	w.s.Alpha = b[0]&0x10 != 0
	w.s.Width = 1 + int(uint32(b[4])|uint32(b[5])<<8|uint32(b[6])<<16)
	w.s.Height = 1 + int(uint32(b[7])|uint32(b[8])<<8|uint32(b[9])<<16)
	return nil
}

// lossy reads the frame header of RFC 6386, 9.1.
func (w *webpFacts) lossy(body span) error {
	if w.image {
		return nil
	}
	b, err := w.in.within(body, 0, 10)
	if err != nil {
		return err
	}
	if b[0]&1 != 0 || string(b[3:6]) != "\x9d\x01\x2a" {
		return w.in.corrupt("no key frame")
	}
	w.image = true
	if !w.extended {
		w.s.Width = int(binary.LittleEndian.Uint16(b[6:]) & 0x3fff)
		w.s.Height = int(binary.LittleEndian.Uint16(b[8:]) & 0x3fff)
	}
	return nil
}

// lossless reads the image header of the WebP lossless specification.
func (w *webpFacts) lossless(body span) error {
	if w.image {
		return nil
	}
	b, err := w.in.within(body, 0, 5)
	if err != nil {
		return err
	}
	if b[0] != 0x2f {
		return w.in.corrupt("no lossless signature")
	}
	w.image = true
	w.s.Lossless = true
	w.s.Colour = plan.ColourRGB
	w.s.Subsampling = ""
	bits := binary.LittleEndian.Uint32(b[1:])
	if !w.extended {
		w.s.Width, w.s.Height = 1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)
		w.s.Alpha = bits>>28&1 != 0
	}
	return nil
}
