package main

import (
	"context"
	"image"

	"example.com/iiifd/testimages"
	"example.com/iiifd/testimages/internal/tiffenc"
)

var tiffRecipes = map[string]recipe{
	"tiff-strip-none.tif":     ownTIFF(tiffenc.Options{}, tiffenc.Image{Compression: tiffenc.None, RowsPerStrip: 16}),
	"tiff-strip-lzw.tif":      tiffcp("-c", "lzw:2", "-r", "16"),
	"tiff-strip-deflate.tif":  ownTIFF(tiffenc.Options{}, tiffenc.Image{Compression: tiffenc.Deflate}),
	"tiff-strip-packbits.tif": tiffcp("-c", "packbits", "-r", "16"),
	"tiff-tiled.tif":          ownTIFF(tiffenc.Options{}, tiffenc.Image{Compression: tiffenc.Deflate, Tile: 128}),
	"tiff-pyramid-jpeg.tif":   vipsPyramid(""),
	"tiff-pyramid-subifd.tif": vipsPyramid("subifd,"),
}

// ownTIFF encodes page 0 with package tiffenc; the template says how.
func ownTIFF(opt tiffenc.Options, template tiffenc.Image) recipe {
	return func(_ context.Context, s *studio, f testimages.File) error {
		data, err := tiffenc.Encode(opt, tiffImage(f, f.Picture(0), template))
		if err != nil {
			return err
		}
		return s.write(f, data)
	}
}

// tiffImage fills a template with a picture's samples.
func tiffImage(f testimages.File, img *image.NRGBA, m tiffenc.Image) tiffenc.Image {
	m.Width, m.Height = img.Rect.Dx(), img.Rect.Dy()
	m.Bits, m.Samples = f.Bits, f.Bands
	m.Photometric = tiffenc.RGB
	if f.Colour == testimages.Gray {
		m.Photometric = tiffenc.BlackIsZero
	}
	for i := 0; i < len(img.Pix); i += 4 {
		m.Data = append(m.Data, img.Pix[i:i+f.Bands]...)
	}
	return m
}

// tiffcp has libtiff's tool copy a file of our own.
func tiffcp(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		data, err := tiffenc.Encode(tiffenc.Options{}, tiffImage(f, f.Picture(0), tiffenc.Image{Compression: tiffenc.None}))
		if err != nil {
			return err
		}
		in, err := s.put(".tif", data)
		if err != nil {
			return err
		}
		_, err = tool(ctx, "tiffcp", append(args, in, s.path(f))...)
		return err
	}
}

// vipsPyramid has libvips write levels of JPEG tiles of 256.
func vipsPyramid(options string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		in, err := s.pnm(f.Picture(0), f.Colour == testimages.Gray)
		if err != nil {
			return err
		}
		_, err = tool(ctx, "vips", "copy", in, s.path(f)+"["+options+"tile,pyramid,compression=jpeg,Q=65,tile-width=256,tile-height=256]")
		return err
	}
}
