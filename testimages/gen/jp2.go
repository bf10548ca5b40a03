package main

import (
	"context"

	"example.com/iiifd/testimages"
)

var jp2Recipes = map[string]recipe{
	"jp2-tiled.jp2":   opj("-t", "128,128"),
	"jp2-untiled.jp2": opj(),
	"jp2-lossy.jp2":   opj("-t", "512,512", "-I", "-r", "28"),
}

// opj encodes with OpenJPEG's tool, which is lossless unless told otherwise.
func opj(args ...string) recipe {
	return func(ctx context.Context, s *studio, f testimages.File) error {
		in, err := s.pnm(f.Picture(0), f.Colour == testimages.Gray)
		if err != nil {
			return err
		}
		_, err = tool(ctx, "opj_compress", append([]string{"-i", in, "-o", s.path(f)}, args...)...)
		return err
	}
}
