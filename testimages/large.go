package testimages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// LargeKind is a sort of generated large file, named by what follows the size
// in its file name.
type LargeKind string

// The kinds of large files. All are RGB of 8 bits and look, to a decoder,
// like photographs: noise of all sizes with grain.
const (
	// LargePyramid is a TIFF of JPEG tiles of 256, YCbCr 4:2:0, with its
	// levels as pages.
	LargePyramid LargeKind = "pyramid.tif"
	// LargeStrips is a TIFF of strips of 16 rows, LZW with predictor.
	LargeStrips LargeKind = "strips.tif"
	// LargePNG is not interlaced.
	LargePNG LargeKind = "plain.png"
	// LargeJPEG is a baseline JPEG, 4:2:0, without restart markers.
	LargeJPEG LargeKind = "baseline.jpg"
	// LargeProgressive is a progressive JPEG, 4:2:0, with restart markers.
	LargeProgressive LargeKind = "progressive.jpg"
	// LargeTiledJP2 has tiles of 1024, the 9/7 transform, one layer.
	LargeTiledJP2 LargeKind = "tiled.jp2"
	// LargeUntiledJP2 has one tile, the 9/7 transform and one layer. Its
	// finest details are zero, which saves a decoder time but no memory.
	LargeUntiledJP2 LargeKind = "untiled.jp2"
)

// Sizes of large files in use: 48, 300 and 500 megapixels.
const (
	Width48M   = 8000
	Height48M  = 6000
	Width300M  = 20000
	Height300M = 15000
	Width500M  = 25000
	Height500M = 20000
)

// ErrNoTool is wrapped by errors of MakeLarge where a program is missing.
var ErrNoTool = errors.New("testimages: a needed program is not installed")

// cacheVariable names the directory that keeps large files. It does not begin
// as the server's own variables do, which refuses unknown ones of those.
const cacheVariable = "TESTIMAGES_CACHE"

// Large returns the path of a large file of width×height pixels, made when it
// is first asked for and kept: below the directory that the environment names
// in TESTIMAGES_CACHE, else below the user's cache directory. The test is
// skipped where a program for it is missing, and fails on other errors. The
// file must not be changed.
func Large(tb testing.TB, kind LargeKind, width, height int) string {
	tb.Helper()
	dir := os.Getenv(cacheVariable)
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			tb.Fatalf("testimages: no cache directory, set %s: %v", cacheVariable, err)
		}
		dir = filepath.Join(user, "iiifd-testimages")
	}
	path, err := MakeLarge(tb.Context(), dir, kind, width, height)
	if errors.Is(err, ErrNoTool) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// MakeLarge returns the path of a large file in a directory and makes both
// where they are missing. Processes that ask for the same file at the same
// time wait for the one that makes it.
func MakeLarge(ctx context.Context, dir string, kind LargeKind, width, height int) (string, error) {
	write, ok := largeWriters[kind]
	if !ok {
		return "", fmt.Errorf("testimages: no large files of kind %q", kind)
	}
	if width < 64 || height < 64 {
		return "", fmt.Errorf("testimages: %d×%d is not large", width, height)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("v1-%dx%d-%s", width, height, kind))
	unlock, err := lock(path + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return path, nil
	}
	tmp := filepath.Join(dir, "making-"+filepath.Base(path))
	defer os.Remove(tmp)
	if err := write(ctx, tmp, width, height); err != nil {
		return "", fmt.Errorf("testimages: making %s: %w", filepath.Base(path), err)
	}
	return path, os.Rename(tmp, path)
}

// lock holds a file's lock until unlock, or the end of the process.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
