package render

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// The stages of a request are the names of the spans below the request's.
// Acquire and decode lie within the time of cache, and each is absent where
// the request ended before it or another request's work served it.
const (
	StageParse     = "parse"
	StageAuthorize = "authorize"
	StageStat      = "stat"
	StagePlan      = "plan"
	StageCache     = "cache"
	StageAcquire   = "acquire"
	StageDecode    = "decode"
	StageWrite     = "write"
)

// Attributes of spans. None tells anything about the client.
const (
	AttributeCode       = attribute.Key("iiifd.code")
	AttributeCache      = attribute.Key("iiifd.cache")
	AttributeLane       = attribute.Key("iiifd.lane")
	AttributeLaneURL    = attribute.Key("iiifd.lane_url")
	AttributeLaneEngine = attribute.Key("iiifd.lane_engine")
	AttributeEstimate   = attribute.Key("iiifd.estimate_bytes")
	AttributeWait       = attribute.Key("iiifd.wait_ms")
	AttributeSource     = attribute.Key("iiifd.source_format")
	AttributeFormat     = attribute.Key("iiifd.format")
)

// Stage begins the span of a stage below the request's span. It costs next
// to nothing where the request is not traced. End it with EndStage.
func Stage(ctx context.Context, t trace.Tracer, name string) trace.Span {
	request := trace.SpanFromContext(ctx)
	if !request.IsRecording() {
		return request // Ending it does nothing.
	}
	_, span := t.Start(ctx, name) //nolint:spancheck // EndStage ends it
	return span                   //nolint:spancheck // EndStage ends it
}

// EndStage ends a stage's span, with the code of what went wrong. Errors'
// texts stay out: they belong in the log.
func EndStage(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		code := codeOf(err)
		span.SetAttributes(AttributeCode.String(code))
		span.SetStatus(codes.Error, code)
	}
	span.End()
}

// codeOf names an error by one of a closed set of words.
func codeOf(err error) string {
	var rejected *admission.Rejection
	var invalid *iiif.Error
	var failed *plan.Failure
	switch {
	case errors.As(err, &rejected):
		return string(rejected.Code)
	case errors.As(err, &invalid):
		return invalid.Code
	case errors.As(err, &failed):
		return string(failed.Kind)
	case errors.Is(err, source.ErrNotFound):
		return "not_found"
	case errors.Is(err, source.ErrChanged):
		return "source_changed"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled"
	default:
		return "failed"
	}
}

// DescribeLease tells a span what a lease was granted on, or where charge is
// nil, err why there is none.
func DescribeLease(span trace.Span, charge *admission.Charge, err error) {
	if !span.IsRecording() {
		return
	}
	if charge != nil {
		describeVerdict(span, charge.Lane, charge.URL, charge.Engine, charge.Wait)
	} else if refused, ok := errors.AsType[*admission.Rejection](err); ok {
		describeVerdict(span, refused.Lane, refused.URL, refused.Engine, refused.Wait)
	}
}

func describeVerdict(span trace.Span, lane, url, engine admission.Lane, wait time.Duration) {
	span.SetAttributes(AttributeLane.String(string(lane)), AttributeLaneURL.String(string(url)), AttributeLaneEngine.String(string(engine)),
		AttributeWait.Float64(float64(wait.Microseconds())/1000))
}
