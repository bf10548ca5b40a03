package main

import (
	"context"
	"encoding/binary"

	"example.com/iiifd/testimages"
)

var jpegRecipes = map[string]recipe{
	"jpeg-420.jpg":           cjpeg("-sample", "2x2"),
	"jpeg-444.jpg":           cjpeg("-sample", "1x1"),
	"jpeg-progressive.jpg":   cjpeg("-sample", "2x2", "-progressive"),
	"jpeg-gray.jpg":          cjpeg("-grayscale"),
	"jpeg-restart.jpg":       cjpeg("-sample", "2x2", "-restart", "1"),
	"jpeg-orientation-1.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-2.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-3.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-4.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-5.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-6.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-7.jpg": cjpeg("-sample", "1x1"),
	"jpeg-orientation-8.jpg": cjpeg("-sample", "1x1"),
}

// cjpeg encodes a sample with libjpeg-turbo's tool at quality 85, turned as
// its orientation says; files named for an orientation get the EXIF tag.
func cjpeg(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		stored := testimages.Orient(f.Picture(0), f.Orientation)
		in, err := s.pnm(stored, f.Colour == testimages.Gray)
		if err != nil {
			return err
		}
		data, err := tool(ctx, "cjpeg", append(append([]string{"-quality", "80", "-dct", "int"}, args...), in)...)
		if err != nil {
			return err
		}
		if f.Orientation > 1 || f.Name == "jpeg-orientation-1.jpg" {
			data = insertAfterSOI(data, app(1, append([]byte("Exif\x00\x00"), exif(f.Orientation)...)))
		}
		return s.write(f, data)
	}
}

// app makes an APPn segment.
func app(n byte, payload []byte) []byte {
	seg := []byte{0xff, 0xe0 + n}
	seg = binary.BigEndian.AppendUint16(seg, uint16(len(payload)+2))
	return append(seg, payload...)
}

// insertAfterSOI puts a segment right behind the start of a JPEG.
func insertAfterSOI(jpeg, segment []byte) []byte {
	out := append([]byte{}, jpeg[:2]...)
	return append(append(out, segment...), jpeg[2:]...)
}

// exif is a TIFF directory that holds nothing but the orientation.
func exif(orientation int) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, 274)
	b = binary.LittleEndian.AppendUint16(b, 3)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = binary.LittleEndian.AppendUint32(b, uint32(orientation))
	return binary.LittleEndian.AppendUint32(b, 0)
}
