package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
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

// write stores a sample's bytes.
func (s *studio) write(f testimages.File, data []byte) error {
	return os.WriteFile(s.path(f), data, 0o644)
}

// put stores bytes for a tool in a new file.
func (s *studio) put(extension string, data []byte) (string, error) {
	s.made++
	path := filepath.Join(s.tmp, strconv.Itoa(s.made)+extension)
	return path, os.WriteFile(path, data, 0o644)
}

// png stores a page for tools that read PNG, without its profile.
func (s *studio) png(f testimages.File, page int) (string, error) {
	f.ICC = ""
	data, err := encodePNG(f, page, false)
	if err != nil {
		return "", err
	}
	return s.put(".png", data)
}

// pnm stores page 0 as binary PPM or PGM, of more than 8 bits if need be.
func (s *studio) pnm(f testimages.File) (string, error) {
	img := stored(f, 0)
	magic, extension := "P6", ".ppm"
	if f.Bands == 1 {
		magic, extension = "P5", ".pgm"
	}
	out := fmt.Appendf(nil, "%s\n%d %d\n%d\n", magic, img.Rect.Dx(), img.Rect.Dy(), 1<<f.Bits-1)
	for _, v := range interleaved(img, f.Bands) {
		if f.Bits > 8 {
			out = binary.BigEndian.AppendUint16(out, widened(v, f.Bits))
		} else {
			out = append(out, v)
		}
	}
	return s.put(extension, out)
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
