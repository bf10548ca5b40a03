package main

import (
	"bytes"
	"context"
	"image/png"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/pngenc"
)

var pngRecipes = map[string]recipe{
	"png-rgb.png":          ownPNG(false),
	"png-rgba.png":         ownPNG(false),
	"png-gray.png":         ownPNG(false),
	"png-gray-alpha.png":   ownPNG(false),
	"png-palette.png":      ownPNG(false),
	"png-palette-hole.png": ownPNG(false),
	"png-1bit.png":         ownPNG(false),
	"png-16bit.png":        ownPNG(false),
	"png-16bit-gray.png":   ownPNG(false),
	"png-16bit-rgba.png":   ownPNG(false),
	"png-interlaced.png":   ownPNG(true),
	"png-wide-gamut.png":   ownPNG(false),
}

func ownPNG(interlaced bool) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		data, err := encodePNG(f, 0, interlaced)
		if err != nil {
			return err
		}
		return s.write(f, data)
	}
}

// encodePNG encodes a page with package pngenc, palettes with the standard
// library.
func encodePNG(f testimages.File, page int, interlaced bool) ([]byte, error) {
	img := stored(f, page)
	if f.Colour == testimages.Palette {
		var buf bytes.Buffer
		enc := png.Encoder{CompressionLevel: png.BestCompression}
		err := enc.Encode(&buf, paletted(img))
		return buf.Bytes(), err
	}
	m := pngenc.Image{
		Width: img.Rect.Dx(), Height: img.Rect.Dy(), Bits: f.Bits, Samples: f.Bands,
		Interlaced: interlaced, Profile: profile(f),
	}
	for _, v := range interleaved(img, f.Bands) {
		m.Data = append(m.Data, widened(v, f.Bits))
	}
	return pngenc.Encode(m)
}
