package main

import (
	"bytes"
	"context"
	"image"
	"image/gif"

	"example.com/iiifd/testimages"
)

var otherRecipes = map[string]recipe{
	"webp-lossy.webp":    converted("cwebp", "-quiet", "-q", "80", in, "-o", out),
	"webp-lossless.webp": converted("cwebp", "-quiet", "-lossless", "-exact", in, "-o", out),
	"webp-alpha.webp":    converted("cwebp", "-quiet", "-lossless", "-exact", in, "-o", out),
	"webp-animated.webp": converted("img2webp", "-lossless", "-d", "1000", in, "-o", out),
	"gif-static.gif":     stdGIF,
	"gif-animated.gif":   stdGIF,
	"gif-hole.gif":       stdGIF,
	"avif-lossy.avif":    converted("avifenc", "-j", "1", "-s", "6", "-y", "420", "--min", "18", "--max", "22", in, out),
	"avif-lossless.avif": converted("avifenc", "-j", "1", "-s", "6", "--lossless", in, out),
	"avif-alpha.avif":    converted("avifenc", "-j", "1", "-s", "6", "-y", "444", "--min", "18", "--max", "22", in, out),
	"heif-lossy.heic":    converted("heif-enc", "-q", "60", "-o", out, in),
	"jxl-lossy.jxl":      converted("cjxl", in, out, "-d", "1", "-e", "5", "--num_threads=0"),
	"jxl-lossless.jxl":   converted("cjxl", in, out, "-d", "0", "-e", "7", "--num_threads=0"),
	"jxl-alpha.jxl":      converted("cjxl", in, out, "-d", "0", "-e", "7", "--num_threads=0"),
	"pdf-document.pdf":   pdf,
	"svg-card.svg":       svg,
}

// in and out stand for the files in a converter's arguments.
const (
	in  = "{in}"
	out = "{out}"
)

// converted has a tool make the sample of a PNG, or of one PNG per page.
func converted(name string, args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		var full []string
		for _, arg := range args {
			switch arg {
			case in:
				for page := range f.Pages {
					path, err := s.png(f, page)
					if err != nil {
						return err
					}
					full = append(full, path)
				}
			case out:
				full = append(full, s.path(f))
			default:
				full = append(full, arg)
			}
		}
		_, err := tool(ctx, name, full...)
		return err
	}
}

// stdGIF encodes with the standard library; frames last a second.
func stdGIF(_ context.Context, s *studio, f testimages.File) error {
	var g gif.GIF
	for page := range f.Pages {
		g.Image = append(g.Image, paletted(stored(f, page)))
		g.Delay = append(g.Delay, 100)
	}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, &g); err != nil {
		return err
	}
	return s.write(f, buf.Bytes())
}

func svg(_ context.Context, s *studio, f testimages.File) error {
	return s.write(f, testimages.Card{Width: f.Width, Height: f.Height}.SVG())
}

func pdf(_ context.Context, s *studio, f testimages.File) error {
	var pages []*image.NRGBA
	for page := range f.Pages {
		pages = append(pages, stored(f, page))
	}
	data, err := encodePDF(pages)
	if err != nil {
		return err
	}
	return s.write(f, data)
}

// nameRecipes go by the kind: what matters is the name.
var nameRecipes = func() map[string]recipe {
	byKind := map[testimages.Kind]recipe{
		testimages.JPEG: cjpeg("-sample", "1x1"),
		testimages.PNG:  ownPNG(false),
		testimages.TIFF: ownTIFF(motorola, deflated),
	}
	table := map[string]recipe{}
	for _, f := range testimages.All() {
		if f.Named() {
			table[f.Name] = byKind[f.Kind]
		}
	}
	return table
}()
