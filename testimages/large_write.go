package testimages

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"example.com/iiifd/testimages/internal/photo"
	"example.com/iiifd/testimages/internal/splice"
	"example.com/iiifd/testimages/internal/tiffenc"
)

// largeWriter writes a large file. None holds more of the picture in memory
// than a band of some hundred rows.
type largeWriter func(ctx context.Context, path string, width, height int) error

var largeWriters = map[LargeKind]largeWriter{
	LargePyramid:     largePyramid,
	LargeStrips:      largeStrips,
	LargePNG:         largePNG,
	LargeJPEG:        largeJPEG,
	LargeProgressive: largeProgressive,
	LargeTiledJP2:    largeTiledJP2,
	LargeUntiledJP2:  largeUntiledJP2,
}

// band is the number of rows that spliced files repeat: a multiple of the
// rows of strips, and of the blocks of JPEG.
const band = 592

func largePyramid(ctx context.Context, path string, width, height int) error {
	return feed(ctx, width, height, "vips", "copy", "stdin",
		path+"[tile,pyramid,compression=jpeg,Q=85,tile-width=256,tile-height=256]")
}

func largeJPEG(ctx context.Context, path string, width, height int) error {
	return feed(ctx, width, height, "cjpeg", "-quality", "85", "-sample", "2x2", "-outfile", path)
}

func largeProgressive(ctx context.Context, path string, width, height int) error {
	strip := path + ".strip"
	defer os.Remove(strip)
	err := feed(ctx, width, band, "cjpeg", "-quality", "85", "-sample", "2x2", "-progressive", "-restart", "1", "-outfile", strip)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(strip)
	if err != nil {
		return err
	}
	return create(path, func(w io.Writer) error { return splice.JPEGRows(w, data, height) })
}

func largeStrips(_ context.Context, path string, width, height int) error {
	m := tiffenc.Image{
		Width: width, Height: band, Bits: 8, Samples: 3, Photometric: tiffenc.RGB,
		Compression: tiffenc.LZW, Predictor: true, RowsPerStrip: 16,
		Data: photo.New().Rows(width, band),
	}
	return create(path, func(w io.Writer) error { return tiffenc.Repeat(w, m, height) })
}

func largePNG(_ context.Context, path string, width, height int) error {
	rows := photo.New().Rows(width, band)
	return create(path, func(w io.Writer) error { return splice.PNG(w, width, height, rows) })
}

func largeTiledJP2(ctx context.Context, path string, width, height int) error {
	const tile = 1024
	data, err := jp2(ctx, path, splice.SourceSide(width, tile), splice.SourceSide(height, tile),
		"-t", "1024,1024", "-I", "-r", "12")
	if err != nil {
		return err
	}
	return create(path, func(w io.Writer) error { return splice.JP2Tiles(w, data, tile, width, height) })
}

func largeUntiledJP2(ctx context.Context, path string, width, height int) error {
	// Six resolutions in the end, as many as usual. The encoder needs some 40
	// bytes per pixel, so it gets a sixteenth or less of the picture.
	levels := 2
	for levels < 5 && width>>levels*(height>>levels) > 6_000_000 {
		levels++
	}
	w, h := (width+1<<levels-1)>>levels, (height+1<<levels-1)>>levels
	data, err := jp2(ctx, path, w, h, "-n", strconv.Itoa(6-levels), "-I", "-r", "3")
	if err != nil {
		return err
	}
	return create(path, func(out io.Writer) error { return splice.JP2Levels(out, data, width, height, levels) })
}

// jp2 encodes a small picture beside path and returns the file's bytes.
func jp2(ctx context.Context, path string, width, height int, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), "making-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.ppm"), filepath.Join(dir, "out.jp2")
	if err := create(in, func(w io.Writer) error { return writePPM(w, width, height) }); err != nil {
		return nil, err
	}
	if err := runTool(exec.CommandContext(ctx, "opj_compress", append([]string{"-i", in, "-o", out}, args...)...)); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// feed runs a program that reads the picture as PPM from standard input.
func feed(ctx context.Context, width, height int, name string, args ...string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	in, out := io.Pipe()
	cmd.Stdin = in
	go func() { out.CloseWithError(writePPM(out, width, height)) }()
	err := runTool(cmd)
	in.CloseWithError(io.ErrClosedPipe) // ends the writer where the program did not read all
	return err
}

func writePPM(w io.Writer, width, height int) error {
	buf := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(buf, "P6\n%d %d\n255\n", width, height)
	if err := photo.New().WriteRows(buf, width, height); err != nil {
		return err
	}
	return buf.Flush()
}

func runTool(cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrNoTool, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", cmd.Args[0], err, stderr.Bytes())
	}
	return nil
}

// create writes a file and reports errors of its closing too.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(buf), buf.Flush(), f.Close())
}
