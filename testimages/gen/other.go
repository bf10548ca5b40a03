package main

import (
	"bytes"
	"context"
	"image"
	"image/gif"

	"example.com/iiifd/testimages"
)

var otherRecipes = map[string]recipe{
	"webp-lossy.webp":    cwebp("-q", "85"),
	"webp-lossless.webp": cwebp("-lossless", "-exact"),
	"gif-static.gif":     stdGIF,
	"gif-animated.gif":   stdGIF,
}

func cwebp(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		in, err := s.png(f.Picture(0))
		if err != nil {
			return err
		}
		_, err = tool(ctx, "cwebp", append(append([]string{"-quiet"}, args...), in, "-o", s.path(f))...)
		return err
	}
}

// stdGIF encodes with the standard library; frames last a second.
func stdGIF(_ context.Context, s *studio, f testimages.File) error {
	var g gif.GIF
	for page := range f.Pages {
		g.Image = append(g.Image, model(f, page).(*image.Paletted))
		g.Delay = append(g.Delay, 100)
	}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, &g); err != nil {
		return err
	}
	return s.write(f, buf.Bytes())
}
