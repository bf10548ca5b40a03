package main

import (
	"context"
	"encoding/binary"
	"image/color"
	"slices"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/jpegenc"
)

var jpegRecipes = map[string]recipe{
	"jpeg-420.jpg":           cjpeg("-sample", "2x2"),
	"jpeg-422.jpg":           cjpeg("-sample", "2x1"),
	"jpeg-444.jpg":           cjpeg("-sample", "1x1"),
	"jpeg-progressive.jpg":   cjpeg("-sample", "2x2", "-progressive"),
	"jpeg-gray.jpg":          cjpeg("-grayscale"),
	"jpeg-restart.jpg":       cjpeg("-sample", "2x2", "-restart", "1"),
	"jpeg-cmyk.jpg":          adobe(jpegenc.Unknown),
	"jpeg-ycck.jpg":          adobe(jpegenc.YCCK),
	"jpeg-wide-gamut.jpg":    cjpeg("-sample", "1x1"),
	"jpeg-srgb.jpg":          cjpeg("-sample", "1x1"),
	"jpeg-gray-profile.jpg":  cjpeg("-grayscale"),
	"jpeg-orientation-1.jpg": turned,
	"jpeg-orientation-2.jpg": turned,
	"jpeg-orientation-3.jpg": turned,
	"jpeg-orientation-4.jpg": turned,
	"jpeg-orientation-5.jpg": turned,
	"jpeg-orientation-6.jpg": turned,
	"jpeg-orientation-7.jpg": turned,
	"jpeg-orientation-8.jpg": turned,
}

// cjpeg encodes a sample with libjpeg-turbo's tool and adds its profile.
func cjpeg(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		data, err := libjpeg(ctx, s, f, args...)
		if err != nil {
			return err
		}
		if p := profile(f); p != nil {
			data = insertAfterSOI(data, app(2, append([]byte("ICC_PROFILE\x00\x01\x01"), p...)))
		}
		return s.write(f, data)
	}
}

// turned encodes a sample and adds an EXIF segment with its orientation.
func turned(ctx context.Context, s *studio, f testimages.File) error {
	data, err := libjpeg(ctx, s, f, "-sample", "1x1")
	if err != nil {
		return err
	}
	return s.write(f, insertAfterSOI(data, app(1, append([]byte("Exif\x00\x00"), exif(f.Orientation)...))))
}

func libjpeg(ctx context.Context, s *studio, f testimages.File, args ...string) ([]byte, error) {
	in, err := s.pnm(f)
	if err != nil {
		return nil, err
	}
	return tool(ctx, "cjpeg", slices.Concat([]string{"-quality", "80", "-dct", "int"}, args, []string{in})...)
}

// adobe encodes four inks as Adobe's programs store them: inverted, and for
// YCCK with the first three turned to luma and chroma before.
func adobe(transform jpegenc.Transform) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		img := stored(f, 0)
		samples := cmyk(img)
		for i := 0; i < len(samples); i += 4 {
			p := samples[i : i+4]
			if transform == jpegenc.YCCK {
				p[0], p[1], p[2] = color.RGBToYCbCr(p[0], p[1], p[2])
			} else {
				p[0], p[1], p[2] = 255-p[0], 255-p[1], 255-p[2]
			}
			p[3] = 255 - p[3]
		}
		data, err := jpegenc.Encode(img.Rect.Dx(), img.Rect.Dy(), samples, transform, 70)
		if err != nil {
			return err
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
	return slices.Concat(jpeg[:2], segment, jpeg[2:])
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
