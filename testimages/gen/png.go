package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"

	"example.com/iiifd/testimages"
)

var pngRecipes = map[string]recipe{
	"png-rgb.png":     stdPNG,
	"png-rgba.png":    stdPNG,
	"png-gray.png":    stdPNG,
	"png-palette.png": stdPNG,
	"png-16bit.png":   stdPNG,
}

// stdPNG encodes with the standard library.
func stdPNG(_ context.Context, s *studio, f testimages.File) error {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&buf, model(f, 0)); err != nil {
		return err
	}
	return s.write(f, buf.Bytes())
}

// model returns a page in the colour model in which the sample stores it, as
// far as package image has it.
func model(f testimages.File, page int) image.Image {
	img := f.Picture(page)
	switch {
	case f.Colour == testimages.Palette:
		return paletted(img)
	case f.Colour == testimages.Gray && !f.Alpha && f.Bits == 8:
		out := image.NewGray(img.Rect)
		for i := range out.Pix {
			out.Pix[i] = img.Pix[4*i]
		}
		return out
	case f.Bits == 16:
		out := image.NewNRGBA64(img.Rect)
		for i, v := range img.Pix {
			out.Pix[2*i], out.Pix[2*i+1] = v, v
		}
		return out
	default:
		return img
	}
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
