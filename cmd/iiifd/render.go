package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/iiifd/decode"
	"example.com/iiifd/option"
)

func renderCommand() *command {
	return &command{
		name: "render", usage: "FILE REQUEST -o OUT", summary: "carries out one IIIF request without a server",
		long: "REQUEST is region/size/rotation/quality.format of Image API 3.0, as in full/max/0/default.jpg.\n" +
			"OUT is a file, or - for standard output. A file is complete or not there.",
		run:     runRender,
		options: func() *option.Set { return newConfig().set },
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
		return explained(err)
	}
	answer, err := w.renderer.Open(ctx, job)
	if err != nil {
		return explained(err)
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

// explained adds a decoder's own words: on the command line they help.
func explained(err error) error {
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

// writeFile writes a file that is complete or not there.
func writeFile(name string, write func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".iiifd-*")
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
