package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"example.com/iiifd/testimages"
)

// recipe writes one sample to its place.
type recipe func(ctx context.Context, s *studio, f testimages.File) error

// studio is where recipes work: the folder they write to and one for what
// lies between.
type studio struct {
	out, tmp string
	made     int
}

func (s *studio) path(f testimages.File) string {
	return filepath.Join(s.out, filepath.FromSlash(f.Name))
}

// scratch names a new file between.
func (s *studio) scratch(extension string) string {
	s.made++
	return filepath.Join(s.tmp, strconv.Itoa(s.made)+extension)
}

// write stores a sample's bytes.
func (s *studio) write(f testimages.File, data []byte) error {
	return os.WriteFile(s.path(f), data, 0o644)
}

// png stores a picture for tools that read PNG.
func (s *studio) png(img image.Image) (string, error) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return "", err
	}
	return s.put(".png", buf.Bytes())
}

// pnm stores an opaque picture as binary PPM, or PGM if it is to be gray.
func (s *studio) pnm(img *image.NRGBA, gray bool) (string, error) {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	magic, bands := "P6", 3
	if gray {
		magic, bands = "P5", 1
	}
	fmt.Fprintf(w, "%s\n%d %d\n255\n", magic, img.Rect.Dx(), img.Rect.Dy())
	for i := 0; i < len(img.Pix); i += 4 {
		w.Write(img.Pix[i : i+bands])
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	return s.put(".pnm", buf.Bytes())
}

// tool runs a command-line tool and returns what it wrote to standard output.
func tool(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	// One worker: the order of tiles in some files depends on their number.
	cmd.Env = append(os.Environ(), "VIPS_CONCURRENCY=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w: %s", name, args, err, stderr.Bytes())
	}
	return out, nil
}

// put stores bytes for a tool.
func (s *studio) put(extension string, data []byte) (string, error) {
	path := s.scratch(extension)
	return path, os.WriteFile(path, data, 0o644)
}
