package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/iiifd/testimages"
)

// allKinds are the sources: pyramidal TIFF, tiled JPEG 2000, baseline JPEG.
var allKinds = []testimages.LargeKind{testimages.LargePyramid, testimages.LargeTiledJP2, testimages.LargeJPEG}

const (
	width, height = testimages.Width300M, testimages.Height300M
	// names is how many identifiers each file has.
	names = 16
)

// corpus is a directory of 300-megapixel pictures.
type corpus struct{ dir string }

// newCorpus makes the files where they are missing, and gives each its names
// by hard links.
func newCorpus(ctx context.Context, keep string) (*corpus, error) {
	if keep == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		keep = filepath.Join(user, "iiifd-testimages")
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(keep, "storm-")
	if err != nil {
		return nil, err
	}
	c := &corpus{dir: dir}
	for _, kind := range allKinds {
		file, err := testimages.MakeLarge(ctx, keep, kind, width, height)
		if errors.Is(err, testimages.ErrNoTool) {
			err = fmt.Errorf("%w: %w", errSkip, err)
		}
		for i := 0; i < names && err == nil; i++ {
			err = os.Link(file, filepath.Join(dir, identifier(kind, i)))
		}
		if err != nil {
			c.remove()
			return nil, err
		}
	}
	return c, nil
}

func identifier(kind testimages.LargeKind, i int) string { return fmt.Sprintf("%02d-%s", i, kind) }

func (c *corpus) remove() { _ = os.RemoveAll(c.dir) }
