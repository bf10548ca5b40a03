package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/iiifd/decode"
	"example.com/iiifd/source"
)

func renderCommand() *command {
	return &command{
		name: "render", usage: "FILE REQUEST -o OUT", summary: "carries out one IIIF request without a server",
		long: "REQUEST is region/size/rotation/quality.format of Image API 3.0, as in full/max/0/default.jpg.\n" +
			"OUT is a file, or - for standard output. A file is complete or not there.",
		run:        runRender,
		configured: true,
	}
}

func runRender(ctx context.Context, p *program, args []string) error {
	out, args, err := cutOutput(args)
	if err != nil {
		return err
	}
	if out == "" {
		return usagef("needs FILE, REQUEST and -o OUT")
	}
	w, err := openWorkbench(args, p.environ)
	if err != nil {
		return err
	}
	defer w.Close()
	job, err := w.prepare(ctx, w.params)
	if err != nil {
		return w.explained(err)
	}
	answer, err := w.renderer.Open(ctx, job)
	if err != nil {
		return w.explained(err)
	}
	defer answer.Close()
	if out == "-" {
		_, err = io.Copy(p.stdout, answer)
		return err
	}
	return writeFile(out, func(f *os.File) error {
		_, err := io.Copy(f, answer)
		return err
	})
}

// explained says it in the words of the command line: a decoder's own help
// here, and a missing file may be one that is there and not served.
func explained(err error) error {
	if errors.Is(err, source.ErrNotFound) {
		return errors.New("no such image; folders, names that start with a dot and links that lead out of the folder are none")
	}
	var d *decode.Error
	if errors.As(err, &d) && d.Detail() != "" {
		return fmt.Errorf("%w (%s)", err, d.Detail())
	}
	return err
}

// cutOutput takes "-o OUT" out of the arguments.
func cutOutput(args []string) (out string, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		if args[i] != "-o" {
			rest = append(rest, args[i])
			continue
		}
		if i+1 == len(args) {
			return "", nil, usagef("-o needs a file")
		}
		i++
		out = args[i]
	}
	return out, rest, nil
}

// writeFile writes a file that is complete or not there. What is no regular
// file, such as /dev/null or a pipe, is written to and never replaced.
func writeFile(name string, write func(*os.File) error) (err error) {
	if fi, err := os.Stat(name); err == nil && !fi.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".iiifd-*")
	if failed, ok := errors.AsType[*fs.PathError](err); ok { // Its path is the passing name, which nobody asked for.
		return fmt.Errorf("write %s: %w", name, failed.Err)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
