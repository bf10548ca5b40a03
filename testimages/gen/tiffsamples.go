package main

import (
	"encoding/binary"
	"image"
	"math"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/icc"
	"example.com/iiifd/testimages/internal/tiffenc"
)

// imageMaker fills a template with a picture's samples.
type imageMaker func(f testimages.File, img *image.NRGBA, m tiffenc.Image) tiffenc.Image

const (
	tagOrientation = 274
	tagWhitePoint  = 318
	tagICC         = 34675
)

// tiffImage is the imageMaker that goes by the manifest's entry.
func tiffImage(f testimages.File, img *image.NRGBA, m tiffenc.Image) tiffenc.Image {
	m.Width, m.Height = img.Rect.Dx(), img.Rect.Dy()
	m.Bits, m.Samples = f.Bits, f.Bands
	if f.Alpha {
		m.ExtraSamples = []uint16{tiffenc.UnassociatedAlpha}
	}
	if f.Orientation > 1 {
		m.Tags = append(m.Tags, tiffenc.Tag{ID: tagOrientation, Shorts: []uint16{uint16(f.Orientation)}})
	}
	if p := profile(f); p != nil {
		m.Tags = append(m.Tags, tiffenc.Tag{ID: tagICC, Undefined: p})
	}
	switch f.Colour {
	case testimages.Gray:
		m.Photometric = tiffenc.BlackIsZero
		m.Data = samples(f, interleaved(img, f.Bands), m.Width)
	case testimages.Palette:
		m.Photometric = tiffenc.Palette
		m.Data, m.ColorMap = indexed(img)
	case testimages.CMYK:
		m.Photometric = tiffenc.Separated
		m.Data = cmyk(img)
	case testimages.Lab:
		m.Photometric = tiffenc.CIELab
		m.Data = lab(img)
		m.Tags = append(m.Tags, tiffenc.Tag{ID: tagWhitePoint, Rationals: [][2]uint32{{3127, 10000}, {3290, 10000}}})
	default:
		m.Photometric = tiffenc.RGB
		m.Data = samples(f, interleaved(img, f.Bands), m.Width)
	}
	return m
}

// whiteIsZeroImage is tiffImage with gray inverted.
func whiteIsZeroImage(f testimages.File, img *image.NRGBA, m tiffenc.Image) tiffenc.Image {
	m = tiffImage(f, img, m)
	m.Photometric = tiffenc.WhiteIsZero
	for i := range m.Data {
		m.Data[i] = ^m.Data[i]
	}
	return m
}

// samples turns samples of 8 bits into those of the file, little-endian;
// rows of one bit are filled up to a byte.
func samples(f testimages.File, data []byte, width int) []byte {
	var out []byte
	for i, v := range data {
		switch {
		case f.Float && f.Bands >= 3:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(icc.Linear(v))))
		case f.Float:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)/255))
		case f.Bits == 32:
			out = binary.LittleEndian.AppendUint32(out, uint32(v)*0x01010101)
		case f.Bits == 16:
			out = binary.LittleEndian.AppendUint16(out, widened(v, 16))
		case f.Bits == 1:
			if i%width%8 == 0 {
				out = append(out, 0)
			}
			out[len(out)-1] |= v >> 7 << (7 - i%width%8)
		default:
			out = append(out, v)
		}
	}
	return out
}

// indexed returns a picture's palette indices and the palette as TIFF wants it.
func indexed(img *image.NRGBA) (data []byte, colorMap []uint16) {
	p := paletted(img)
	colorMap = make([]uint16, 3*256)
	for i, c := range p.Palette {
		r, g, b, _ := c.RGBA()
		colorMap[i], colorMap[256+i], colorMap[512+i] = uint16(r), uint16(g), uint16(b)
	}
	return p.Pix, colorMap
}

// lab returns CIELab under D65 in the 8-bit coding of TIFF 6.0, section 23.
func lab(img *image.NRGBA) []byte {
	// The rows of the sRGB matrix (IEC 61966-2-1), each divided by its white.
	rows := [3][3]float64{{0.4339, 0.3762, 0.1899}, {0.2126, 0.7152, 0.0722}, {0.0178, 0.1094, 0.8728}}
	out := make([]byte, 0, len(img.Pix)/4*3)
	for i := 0; i < len(img.Pix); i += 4 {
		r, g, b := icc.Linear(img.Pix[i]), icc.Linear(img.Pix[i+1]), icc.Linear(img.Pix[i+2])
		var f [3]float64
		for k, row := range rows {
			v := row[0]*r + row[1]*g + row[2]*b
			if v > 216.0/24389 {
				f[k] = math.Cbrt(v)
			} else {
				f[k] = (24389.0/27*v + 16) / 116
			}
		}
		out = append(out, byte(math.Round((116*f[1]-16)*255/100)),
			byte(int8(math.Round(500*(f[0]-f[1])))), byte(int8(math.Round(200*(f[1]-f[2])))))
	}
	return out
}
