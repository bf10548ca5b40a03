package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/iiif"
	"example.com/iiifd/lua"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// ScriptHost is what scripts get of the server: lua.Host over the renderer,
// admission and the cache. Controller and Cache may be nil.
type ScriptHost struct {
	Renderer   *render.Renderer
	Controller *admission.Controller
	Cache      *cache.Cache
	// Roots are the directories whose files scripts open as images; package
	// lua has checked that a script may touch them.
	Roots *source.Roots
	// Threshold is the price in bytes from which a request is a full.
	Threshold int64
}

var _ lua.Host = (*ScriptHost)(nil)

// The errors that scripts read.
var (
	errNotAnImage = errors.New("not an image that can be read")
	errNoFile     = errors.New("no such file")
	errImage      = errors.New("the image cannot be made")
	errNoServer   = errors.New("not available without a server")
	errHook       = errors.New("images cannot be rendered in hooks")
)

// picture opens a file and records the steps.
func (h *ScriptHost) picture(ctx context.Context, src lua.ImageSource) (*render.Picture, error) {
	subject, err := h.subject(src.Path)
	if err != nil {
		return nil, err
	}
	p, err := h.Renderer.Picture(ctx, subject)
	if err != nil {
		return nil, plainError(ctx, err, errNotAnImage)
	}
	marked := false
	for _, step := range src.Steps {
		if marked && step.Kind != lua.StepWatermark {
			return nil, errors.New("nothing can follow a watermark")
		}
		if err := apply(ctx, p, step); err != nil {
			return nil, plainError(ctx, err, fmt.Errorf("%s %s is not possible here", step.Kind, step.Value))
		}
		marked = step.Kind == lua.StepWatermark
	}
	return p, nil
}

func (h *ScriptHost) subject(path string) (render.Subject, error) {
	dir, id, ok := h.Roots.Find(path)
	if !ok {
		return render.Subject{}, errNoFile
	}
	return render.Subject{Source: dir, Identifier: id}, nil
}

// apply records one step.
func apply(ctx context.Context, p *render.Picture, step lua.Step) error {
	switch step.Kind {
	case lua.StepRegion:
		params, err := iiif.ParseParams(step.Value+"/max/0/default.jpg", iiif.V3)
		if err != nil {
			return err
		}
		return p.Cut(params.Region, params.Size)
	case lua.StepSize:
		params, err := iiif.ParseParams("full/"+step.Value+"/0/default.jpg", iiif.V3)
		if err != nil {
			return err
		}
		return p.Cut(params.Region, params.Size)
	case lua.StepRotate:
		return p.Rotate(step.Angle, step.Mirror)
	case lua.StepUpright:
		return p.Upright()
	case lua.StepWatermark:
		return p.Mark(ctx, step.Value)
	}
	return fmt.Errorf("unknown step %q", step.Kind)
}

// plainError is what a script reads: what it can mend as it is, all else in
// words that name no library.
func plainError(ctx context.Context, err, plain error) error {
	var refused *iiif.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		return errors.New(refused.Parameter + " " + refused.Reason)
	case errors.Is(err, source.ErrNotFound):
		return errNoFile
	case errors.Is(err, render.ErrNoLease):
		return errHook
	}
	return plain
}

// Describe implements lua.Host.
func (h *ScriptHost) Describe(ctx context.Context, src lua.ImageSource) (lua.ImageFacts, error) {
	p, err := h.picture(ctx, src)
	if err != nil {
		return lua.ImageFacts{}, err
	}
	w, hgt := p.Size()
	return lua.ImageFacts{
		Width: w, Height: hgt, Orientation: p.Orientation(), Format: formatName(string(p.Shape.Loader)), Pages: p.Shape.Pages,
	}, nil
}

// formatName is a loader's name as scripts write formats.
func formatName(loader string) string {
	switch loader {
	case "jpeg":
		return "jpg"
	case "tiff":
		return "tif"
	}
	return loader
}

// Render implements lua.Host.
func (h *ScriptHost) Render(ctx context.Context, src lua.ImageSource, out lua.ImageOutput, w io.Writer) error {
	p, err := h.picture(ctx, src)
	if err != nil {
		return err
	}
	err = p.Render(ctx, outputOf(out), w)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, render.ErrSkipped):
		return lua.ErrSkipped
	}
	return plainError(ctx, err, errImage)
}

// outputOf reads the parameters that encoders here have.
func outputOf(out lua.ImageOutput) render.Output {
	o := render.Output{Format: iiif.Format(out.Format), Pyramid: out.Format == "tif" && out.Params["pyramid"] == "yes"}
	if q, err := strconv.ParseFloat(out.Params["quality"], 64); err == nil && q >= 1 && q <= 100 {
		o.Quality = int(math.Round(q))
	}
	return o
}

// Estimate implements lua.Host.
func (h *ScriptHost) Estimate(ctx context.Context, path, request string) (lua.Estimate, error) {
	params, err := iiif.ParseParams(request, iiif.V3)
	if err != nil {
		return lua.Estimate{}, plainError(ctx, err, errImage)
	}
	subject, err := h.subject(path)
	if err != nil {
		return lua.Estimate{}, err
	}
	job, err := h.Renderer.Prepare(ctx, render.Request{Subject: subject, Params: params})
	if err != nil {
		return lua.Estimate{}, plainError(ctx, err, errNotAnImage)
	}
	e := lua.Estimate{PeakBytes: job.Plan.Peak(), Lane: string(admission.LaneTile), Width: job.Plan.OutWidth, Height: job.Plan.OutHeight}
	if e.PeakBytes >= h.Threshold {
		e.Lane = string(admission.LaneFull)
	}
	return e, nil
}

// Admission implements lua.Host.
func (h *ScriptHost) Admission(context.Context) (any, error) {
	if h.Controller == nil {
		return nil, errNoServer
	}
	return h.Controller.Snapshot(), nil
}

// Purge implements lua.Host.
func (h *ScriptHost) Purge(ctx context.Context, identifier string) (int, error) {
	if strings.TrimSpace(identifier) == "" {
		return 0, errors.New("name an identifier")
	}
	if h.Cache == nil {
		return 0, errNoServer
	}
	purged, err := h.Cache.Purge(ctx, cache.Selector{Object: identifier})
	if err != nil {
		return 0, errors.New("not everything could be removed")
	}
	return purged.Files, nil
}
