// Command gen writes the sample files of package testimages anew, all of them
// or those named as arguments:
//
//	go run ./testimages/gen
//	go run ./testimages/gen tiff-tiled.tif png-rgb.png
//
// It draws the pictures in Go, writes what the standard library and its own
// small encoders can, and calls command-line tools of Debian for the rest;
// the folder's README names their packages. The same tools give the same
// files, byte by byte.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"example.com/iiifd/testimages"
)

func main() {
	out := flag.String("out", testimages.Dir(), "folder to write the samples to; the README goes above it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	if err := run(ctx, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	stop()
}

func run(ctx context.Context, out string, names []string) error {
	tmp, err := os.MkdirTemp("", "testimages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	s := &studio{out: out, tmp: tmp}
	for _, f := range testimages.All() {
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			continue
		}
		write, ok := recipes[f.Name]
		if !ok {
			return fmt.Errorf("%s: no recipe", f.Name)
		}
		if err := os.MkdirAll(filepath.Dir(s.path(f)), 0o755); err != nil {
			return err
		}
		if err := write(ctx, s, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if len(names) > 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(out, "..", "README.md"), []byte(readme()), 0o644)
}
