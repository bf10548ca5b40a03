package render_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// untraced is a context as deep as a request's.
func untraced(ctx context.Context) context.Context {
	type key int
	for i := range 4 {
		ctx = context.WithValue(ctx, key(i), i) //nolint:fatcontext // deep on purpose
	}
	return ctx
}

// TestStageOffCostsNothing: where no request is traced, nothing is allocated.
func TestStageOffCostsNothing(t *testing.T) {
	ctx := untraced(t.Context())
	var tracer trace.Tracer = noop.Tracer{}
	if n := testing.AllocsPerRun(100, func() {
		render.EndStage(render.Stage(ctx, tracer, render.StageDecode), nil)
		render.EndStage(render.Stage(ctx, tracer, render.StageDecode), source.ErrNotFound)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkStageOff(b *testing.B) {
	ctx := untraced(b.Context())
	var tracer trace.Tracer = noop.Tracer{}
	b.ReportAllocs()
	for b.Loop() {
		render.EndStage(render.Stage(ctx, tracer, render.StageDecode), nil)
	}
}

// TestStageCodes: what a stage says went wrong is a code, never an error's
// text.
func TestStageCodes(t *testing.T) {
	ended := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ended))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	tracer := provider.Tracer("test")
	ctx, request := tracer.Start(t.Context(), "request")
	cases := []struct {
		err  error
		code string
	}{
		{nil, ""},
		{fmt.Errorf("wrapped: %w", &admission.Rejection{Code: admission.CodeQueueTimeout}), "queue_timeout"},
		{&iiif.Error{Code: iiif.CodeFormatUnsupported}, iiif.CodeFormatUnsupported},
		{plan.NewFailure(plan.Corrupt, "/srv/a.tif: words of a decoder", nil), string(plan.Corrupt)},
		{fmt.Errorf("/srv/a.tif: %w", source.ErrNotFound), "not_found"},
		{source.ErrChanged, "source_changed"},
		{context.Canceled, "cancelled"},
		{errors.New("/srv/a.tif: input/output error"), "failed"},
	}
	for _, c := range cases {
		render.EndStage(render.Stage(ctx, tracer, render.StageStat), c.err)
	}
	request.End()
	// After the request has ended, nothing comes below it.
	render.EndStage(render.Stage(ctx, tracer, render.StageStat), nil)
	spans := ended.Ended()
	if len(spans) != len(cases)+1 {
		t.Fatalf("%d spans", len(spans))
	}
	for i, c := range cases {
		s := spans[i]
		want := []attribute.KeyValue{render.AttributeCode.String(c.code)}
		status := sdktrace.Status{Code: codes.Error, Description: c.code}
		if c.err == nil {
			want, status = nil, sdktrace.Status{}
		}
		if fmt.Sprint(s.Attributes()) != fmt.Sprint(want) || s.Status() != status || s.Name() != "stat" || s.Parent().SpanID() != request.SpanContext().SpanID() {
			t.Errorf("%v: %s %v %+v", c.err, s.Name(), s.Attributes(), s.Status())
		}
	}
}
