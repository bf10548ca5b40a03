package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// ErrSkipped is returned by Picture.Render where the price does not fit what
// is left of the budget now.
var ErrSkipped = errors.New("render: no room for another picture")

// ErrNoLease is returned by Picture.Render outside of a lease.
var ErrNoLease = errors.New("render: pictures are made under a lease only")

// Picture is an image that a script puts together: opened, with operations
// on it that nothing has carried out yet.
type Picture struct {
	*plan.Composition
	Info  source.Info
	Shape plan.Shape

	renderer *Renderer
	subject  Subject
	options  plan.Options
}

// Picture reads an image's header.
func (r *Renderer) Picture(ctx context.Context, s Subject) (*Picture, error) {
	seen, err := r.stat(ctx, s)
	if err != nil {
		return nil, err
	}
	info, shape, err := r.header(ctx, s, seen)
	if err != nil {
		return nil, err
	}
	return &Picture{Composition: plan.Compose(shape), Info: info, Shape: shape, renderer: r, subject: s, options: r.decoder.PlanOptions()}, nil
}

// Mark lays the watermark in a file over the picture as it is in the end.
func (p *Picture) Mark(ctx context.Context, path string) error {
	m, err := p.renderer.decoder.Mark(ctx, path)
	if err != nil {
		return err
	}
	m.OverAnswer = true
	p.options.Mark = m
	return nil
}

// Output is how a picture is encoded.
type Output struct {
	Format iiif.Format
	// Quality is 1 to 100 for formats that lose; 0 is the configured one.
	Quality int
	// Pyramid makes a tif with levels and JPEG tiles; the writer must be an
	// *os.File.
	Pyramid bool
}

// Plan plans the picture's making.
func (p *Picture) Plan(out Output) (plan.Plan, error) {
	if !slices.Contains(p.renderer.formats, out.Format) {
		return plan.Plan{}, &plan.FormatError{Format: out.Format}
	}
	o := p.options
	o.Pyramid = out.Pyramid
	if q := out.Quality; q > 0 {
		o.JPEGQuality, o.WebPQuality, o.AVIFQuality, o.JXLQuality, o.JP2Quality = q, q, q, q, q
	}
	return p.Composition.Plan(out.Format, o)
}

// Render makes the picture on the permit of the lease in ctx, whose charge it
// grows by the plan's price for as long as that takes. It never waits for
// room: without it, it returns ErrSkipped and has written nothing.
func (p *Picture) Render(ctx context.Context, out Output, w io.Writer) (err error) {
	made, err := p.Plan(out)
	if err != nil {
		return err
	}
	if p.renderer.deps.Admission != nil {
		lease := admission.FromContext(ctx)
		if lease == nil {
			return ErrNoLease
		}
		release, ok := lease.TryGrow(made.Peak())
		if !ok {
			return fmt.Errorf("%w: %d bytes", ErrSkipped, made.Peak())
		}
		defer release()
	}
	span := Stage(ctx, p.renderer.tracer, StageDecode)
	defer func() { EndStage(span, err) }()
	return p.renderer.carryOut(ctx, &p.subject, &p.Info, &made, w)
}
