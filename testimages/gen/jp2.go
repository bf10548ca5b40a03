package main

import (
	"context"
	"slices"

	"example.com/iiifd/testimages"
)

var jp2Recipes = map[string]recipe{
	"jp2-tiled.jp2":         opj("-t", "128,128"),
	"jp2-untiled.jp2":       opj(),
	"jp2-lossy.jp2":         opj("-t", "512,512", "-I", "-r", "32"),
	"jp2-lossy-untiled.jp2": opj("-I", "-r", "15"),
	"jp2-tile-parts.jp2":    opj("-t", "256,256", "-TP", "R", "-p", "RPCL", "-c", "[128,128],[128,128]", "-I", "-r", "15"),
	"jp2-gray.jp2":          opj(),
	"jp2-gray-alpha.jp2":    opj(),
	"jp2-rgba.jp2":          opj(),
	"jp2-12bit.jp2":         opj(),
	"jp2-16bit.jp2":         opj(),
	"jp2-16bit-lossy.jp2":   opj("-I", "-r", "20"),
	"jp2-codestream.j2k":    opj(),
}

// opj encodes with OpenJPEG's tool, which is lossless unless told otherwise.
func opj(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		input := s.pnm
		if f.Alpha {
			input = func(f testimages.File) (string, error) { return s.png(f, 0) }
		}
		in, err := input(f)
		if err != nil {
			return err
		}
		_, err = tool(ctx, "opj_compress", slices.Concat([]string{"-i", in, "-o", s.path(f)}, args)...)
		return err
	}
}
