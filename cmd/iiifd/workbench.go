package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"example.com/iiifd/decode"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// workbench is what the commands need that take FILE and REQUEST and no
// server: an engine, a renderer and the request.
type workbench struct {
	cfg      *config
	engine   *decode.Engine
	dir      *source.Directory
	renderer *render.Renderer
	subject  render.Subject
	// file and request are the arguments as they were written.
	file, request string
	params        iiif.Params
}

// openWorkbench reads the configuration and the two arguments.
func openWorkbench(args, environ []string) (*workbench, error) {
	cfg, rest, err := loadConfig(args, environ)
	if err != nil {
		return nil, err
	}
	if len(rest) != 2 {
		return nil, usagef("needs FILE and REQUEST")
	}
	w := &workbench{cfg: cfg, file: rest[0], request: rest[1]}
	if w.params, err = iiif.ParseParams(w.request, iiif.V3); err != nil {
		return nil, &usageError{err.Error()}
	}
	if w.dir, err = source.NewDirectory(filepath.Dir(w.file), cfg.Source); err != nil {
		return nil, err
	}
	w.subject = render.Subject{Source: w.dir, Identifier: filepath.Base(w.file)}
	if w.engine, err = decode.Start(cfg.Decode, quiet(), nil); err != nil {
		return nil, errors.Join(err, w.dir.Close())
	}
	if w.renderer, err = render.New(cfg.Render, render.Deps{Decoder: w.engine}, 1); err != nil {
		return nil, errors.Join(err, w.dir.Close())
	}
	return w, nil
}

func (w *workbench) prepare(ctx context.Context, params iiif.Params) (*render.Job, error) {
	return w.renderer.Prepare(ctx, render.Request{Subject: w.subject, Params: params})
}

// explained names the file that an error is about.
func (w *workbench) explained(err error) error { return fmt.Errorf("%s: %w", w.file, explained(err)) }

// discard carries a request out and throws the picture away.
func (w *workbench) discard(ctx context.Context, params iiif.Params) error {
	job, err := w.prepare(ctx, params)
	if err != nil {
		return err
	}
	obj, err := w.dir.Open(ctx, w.subject.Identifier)
	if err != nil {
		return err
	}
	return errors.Join(w.engine.Render(ctx, obj, job.Plan, io.Discard), obj.Close())
}

// Close ends the engine and the directory.
func (w *workbench) Close() {
	w.engine.Close()
	_ = w.dir.Close() // Opened for reading only.
}
