package main

import (
	"context"
	"slices"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/tiffenc"
)

var (
	plain     = tiffenc.Image{Compression: tiffenc.None, RowsPerStrip: 16}
	deflated  = tiffenc.Image{Compression: tiffenc.Deflate}
	tiled128  = tiffenc.Image{Compression: tiffenc.Deflate, Tile: 128}
	tiled256  = tiffenc.Image{Compression: tiffenc.Deflate, Tile: 256}
	packbits  = tiffenc.Image{Compression: tiffenc.PackBits, RowsPerStrip: 64}
	float     = tiffenc.Image{Compression: tiffenc.Deflate, Format: tiffenc.Float}
	planar    = tiffenc.Image{Compression: tiffenc.Deflate, Planar: true, RowsPerStrip: 64}
	planar128 = tiffenc.Image{Compression: tiffenc.Deflate, Planar: true, Tile: 128}

	bigTIFF     = tiffenc.Options{Big: true}
	motorola    = tiffenc.Options{BigEndian: true}
	bigMotorola = tiffenc.Options{Big: true, BigEndian: true}
)

var tiffRecipes = map[string]recipe{
	"tiff-strip-none.tif":         ownTIFF(tiffenc.Options{}, plain),
	"tiff-strip-lzw.tif":          tiffcp("-c", "lzw:2", "-r", "16"),
	"tiff-strip-deflate.tif":      ownTIFF(tiffenc.Options{}, deflated),
	"tiff-strip-packbits.tif":     tiffcp("-c", "packbits", "-r", "16"),
	"tiff-strip-jpeg.tif":         vips("compression=jpeg,Q=80"),
	"tiff-tiled.tif":              ownTIFF(tiffenc.Options{}, tiled128),
	"tiff-big-endian.tif":         ownTIFF(motorola, deflated),
	"tiff-bigtiff.tif":            ownTIFF(bigTIFF, tiled128),
	"tiff-bigtiff-big-endian.tif": ownTIFF(bigMotorola, deflated),
	"tiff-pyramid-jpeg.tif":       vips("tile,pyramid,compression=jpeg,Q=60,tile-width=256,tile-height=256"),
	"tiff-pyramid-subifd.tif":     vips("subifd,tile,pyramid,compression=jpeg,Q=50,tile-width=256,tile-height=256"),
	"tiff-pyramid-gray.tif":       vips("tile,pyramid,compression=jpeg,Q=60,tile-width=256,tile-height=256"),
	"tiff-pyramid-deflate.tif":    levelPages(tiled256, true),
	"tiff-pyramid-unmarked.tif":   levelPages(tiled128, false),
	"tiff-1bit.tif":               ownTIFF(tiffenc.Options{}, deflated),
	"tiff-1bit-white-is-zero.tif": whiteIsZero(packbits),
	"tiff-g4.tif":                 g4(whiteIsZeroImage),
	"tiff-g4-black-is-zero.tif":   g4(tiffImage),
	"tiff-gray.tif":               ownTIFF(tiffenc.Options{}, deflated),
	"tiff-gray-white-is-zero.tif": whiteIsZero(deflated),
	"tiff-gray-alpha.tif":         ownTIFF(tiffenc.Options{}, deflated),
	"tiff-rgba.tif":               ownTIFF(tiffenc.Options{}, deflated),
	"tiff-palette.tif":            ownTIFF(tiffenc.Options{}, deflated),
	"tiff-16bit.tif":              ownTIFF(tiffenc.Options{}, deflated),
	"tiff-16bit-gray.tif":         ownTIFF(tiffenc.Options{}, deflated),
	"tiff-32bit.tif":              ownTIFF(tiffenc.Options{}, deflated),
	"tiff-float.tif":              ownTIFF(tiffenc.Options{}, float),
	"tiff-float-gray.tif":         ownTIFF(tiffenc.Options{}, float),
	"tiff-planar.tif":             ownTIFF(tiffenc.Options{}, planar),
	"tiff-planar-tiled.tif":       ownTIFF(tiffenc.Options{}, planar128),
	"tiff-cmyk.tif":               ownTIFF(tiffenc.Options{}, deflated),
	"tiff-lab.tif":                ownTIFF(tiffenc.Options{}, deflated),
	"tiff-wide-gamut.tif":         ownTIFF(tiffenc.Options{}, deflated),
	"tiff-orientation-6.tif":      ownTIFF(tiffenc.Options{}, deflated),
	"tiff-document.tif":           documentTIFF(deflated, false),
	"tiff-document-pyramid.tif":   documentTIFF(tiled128, true),
}

// ownTIFF encodes page 0 with package tiffenc; the template says how.
func ownTIFF(opt tiffenc.Options, template tiffenc.Image) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		return s.tiff(f, opt, tiffImage(f, stored(f, 0), template))
	}
}

// whiteIsZero encodes gray with the samples inverted.
func whiteIsZero(template tiffenc.Image) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		return s.tiff(f, tiffenc.Options{}, whiteIsZeroImage(f, stored(f, 0), template))
	}
}

// levelPages encodes a pyramid whose levels follow in the main chain.
func levelPages(template tiffenc.Image, marked bool) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		img := stored(f, 0)
		var chain []tiffenc.Image
		for i := range f.Levels {
			if i > 0 {
				img = halved(img)
			}
			m := tiffImage(f, img, template)
			m.Reduced = marked && i > 0
			chain = append(chain, m)
		}
		return s.tiff(f, tiffenc.Options{}, chain...)
	}
}

// documentTIFF encodes all pages, each with its levels below it if wanted.
func documentTIFF(template tiffenc.Image, levels bool) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		var chain []tiffenc.Image
		for page := range f.Pages {
			img := stored(f, page)
			m := tiffImage(f, img, template)
			m.Page = true
			for range len(f.Levels) - 1 {
				if !levels {
					break
				}
				img = halved(img)
				sub := tiffImage(f, img, template)
				sub.Reduced = true
				m.SubIFDs = append(m.SubIFDs, sub)
			}
			chain = append(chain, m)
		}
		return s.tiff(f, tiffenc.Options{}, chain...)
	}
}

func (s *studio) tiff(f testimages.File, opt tiffenc.Options, images ...tiffenc.Image) error {
	data, err := tiffenc.Encode(opt, images...)
	if err != nil {
		return err
	}
	return s.write(f, data)
}

// tiffcp has libtiff's tool copy a file of our own.
func tiffcp(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		return libtiff(ctx, s, f, tiffImage(f, stored(f, 0), plain), args...)
	}
}

// g4 compresses one-bit rows as fax machines do.
func g4(model imageMaker) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		return libtiff(ctx, s, f, model(f, stored(f, 0), plain), "-c", "g4", "-r", "64")
	}
}

func libtiff(ctx context.Context, s *studio, f testimages.File, m tiffenc.Image, args ...string) error {
	data, err := tiffenc.Encode(tiffenc.Options{}, m)
	if err != nil {
		return err
	}
	in, err := s.put(".tif", data)
	if err != nil {
		return err
	}
	_, err = tool(ctx, "tiffcp", slices.Concat(args, []string{in, s.path(f)})...)
	return err
}

// vips has libvips write page 0 with the saver's options.
func vips(options string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		in, err := s.pnm(f)
		if err != nil {
			return err
		}
		_, err = tool(ctx, "vips", "copy", in, s.path(f)+"["+options+"]")
		return err
	}
}
