package server_test

import (
	"context"
	"io"
	"sync/atomic"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// fake is a decoder around another one: it counts, and render stands in for
// the work. Its zero render is the other decoder's.
type fake struct {
	render.Decoder
	render  func(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error
	shapes  atomic.Int64
	renders atomic.Int64
}

// around puts f around the server's own decoder.
func (f *fake) around(d render.Decoder) render.Decoder {
	f.Decoder = d
	return f
}

// Shape implements render.Decoder.
func (f *fake) Shape(ctx context.Context, obj source.Object) (plan.Shape, error) {
	f.shapes.Add(1)
	return f.Decoder.Shape(ctx, obj)
}

// Render implements render.Decoder.
func (f *fake) Render(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error {
	f.renders.Add(1)
	if f.render == nil {
		return f.Decoder.Render(ctx, obj, p, w)
	}
	return f.render(ctx, obj, p, w)
}

// blocked returns a render that says that it has begun and then works until
// it is cancelled, like libvips on a huge picture.
func blocked(begun chan<- struct{}) func(context.Context, source.Object, plan.Plan, io.Writer) error {
	return func(ctx context.Context, _ source.Object, _ plan.Plan, _ io.Writer) error {
		begun <- struct{}{}
		<-ctx.Done()
		return plan.NewFailure(plan.Killed, "", context.Cause(ctx))
	}
}
