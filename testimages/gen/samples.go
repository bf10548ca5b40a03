package main

import (
	"image"
	"image/color"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/icc"
)

// profile returns the profile that a sample embeds, or nil.
func profile(f testimages.File) []byte {
	switch f.ICC {
	case "wide":
		return icc.Wide.Profile()
	case "srgb":
		return icc.SRGB()
	case "gray":
		return icc.Gray()
	default:
		return nil
	}
}

// stored returns a page's picture as the sample stores it: turned by its
// orientation and in the colour space of its profile.
func stored(f testimages.File, page int) *image.NRGBA {
	img := testimages.Orient(f.Picture(page), f.Orientation)
	if f.ICC == "wide" {
		convert := icc.Wide.FromSRGB()
		for i := 0; i < len(img.Pix); i += 4 {
			p := img.Pix[i : i+3]
			p[0], p[1], p[2] = convert(p[0], p[1], p[2])
		}
	}
	return img
}

// interleaved returns the samples of a picture of 8 bits in gray, gray with
// alpha, RGB or RGBA.
func interleaved(img *image.NRGBA, bands int) []byte {
	out := make([]byte, 0, len(img.Pix)/4*bands)
	for i := 0; i < len(img.Pix); i += 4 {
		p := img.Pix[i : i+4]
		switch bands {
		case 1:
			out = append(out, p[0])
		case 2:
			out = append(out, p[0], p[3])
		default:
			out = append(out, p[:bands]...)
		}
	}
	return out
}

// inks separates a colour with all black moved to K.
func inks(r, g, b uint8) (c, m, y, k uint8) { return color.RGBToCMYK(r, g, b) }

// cmyk returns a picture's inks, interleaved.
func cmyk(img *image.NRGBA) []byte {
	out := make([]byte, 0, len(img.Pix))
	for i := 0; i < len(img.Pix); i += 4 {
		c, m, y, k := inks(img.Pix[i], img.Pix[i+1], img.Pix[i+2])
		out = append(out, c, m, y, k)
	}
	return out
}

// widened scales a sample of 8 bits to more: its repetition for 16 bits, and
// so exact in both directions.
func widened(v byte, bits int) uint16 {
	if bits < 8 {
		return uint16(v >> (8 - bits))
	}
	return uint16((int(v)*(1<<bits-1) + 127) / 255)
}

// paletted numbers the colours in the order in which they appear. It panics
// where there are more than 256: such a card is drawn wrong.
func paletted(img *image.NRGBA) *image.Paletted {
	index := map[color.NRGBA]uint8{}
	out := image.NewPaletted(img.Rect, nil)
	for i := range out.Pix {
		c := color.NRGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3]}
		n, ok := index[c]
		if !ok {
			if len(index) == 256 {
				panic("more than 256 colours")
			}
			n = uint8(len(index))
			index[c] = n
			out.Palette = append(out.Palette, c)
		}
		out.Pix[i] = n
	}
	return out
}

// halved averages squares of 2×2 pixels; sizes are rounded up.
func halved(img *image.NRGBA) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, (w+1)/2, (h+1)/2))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			for c := range 4 {
				sum := 2
				for _, at := range [4]image.Point{{2 * x, 2 * y}, {2*x + 1, 2 * y}, {2 * x, 2*y + 1}, {2*x + 1, 2*y + 1}} {
					sum += int(img.Pix[img.PixOffset(min(at.X, w-1), min(at.Y, h-1))+c])
				}
				out.Pix[out.PixOffset(x, y)+c] = uint8(sum / 4)
			}
		}
	}
	return out
}
