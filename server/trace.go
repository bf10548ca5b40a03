package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/iiifd/render"
)

// tracing makes the spans of requests.
type tracing struct {
	trace.Tracer
	off     bool
	options []trace.SpanStartOption
	// reads is the form in which callers hand on their trace.
	reads propagation.TraceContext
}

func newTracing(t trace.Tracer) *tracing {
	if t == nil {
		t = noop.Tracer{}
	}
	_, off := t.(noop.Tracer)
	return &tracing{Tracer: t, off: off, options: []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}}
}

// begin starts the span of a request, below the caller's where the request
// says which that is (W3C Trace Context). Health checks have none: they come
// every few seconds and tell nothing.
func (t *tracing) begin(ctx context.Context, r *http.Request) context.Context {
	if t.off {
		return ctx
	}
	switch r.URL.Path {
	case "/livez", "/readyz", "/healthz":
		return ctx
	}
	if r.Header["Traceparent"] != nil {
		ctx = t.reads.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, _ = t.Start(ctx, "request", t.options...) //nolint:spancheck // end finds it in the context
	return ctx
}

// end describes the request's span and ends it: what was asked, what was
// answered, and why; nothing about the client. The names are those of the
// semantic conventions for HTTP where there is one.
func (t *tracing) end(r *http.Request, status int, bytes int64, x *exchange) {
	span := trace.SpanFromContext(r.Context())
	if !span.IsRecording() {
		return
	}
	route := x.route
	if route == "" {
		route = "other"
	}
	span.SetName(method(r.Method) + " " + route)
	span.SetAttributes(
		attribute.String("http.request.method", method(r.Method)),
		attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status),
		attribute.Int64("http.response.body.size", bytes),
		attribute.String("url.path", r.URL.EscapedPath()),
		attribute.String("network.protocol.version", strings.TrimPrefix(r.Proto, "HTTP/")),
		attribute.String("iiifd.request_id", x.id))
	if x.code != "" {
		span.SetAttributes(render.AttributeCode.String(x.code))
	}
	for _, fact := range x.facts {
		span.SetAttributes(attributeOf(fact))
	}
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, x.code)
	}
	span.End()
}

// attributeOf turns a fact of the access log into a span's attribute.
func attributeOf(fact slog.Attr) attribute.KeyValue {
	key := attribute.Key("iiifd." + fact.Key)
	switch v := fact.Value; v.Kind() {
	case slog.KindInt64:
		return key.Int64(v.Int64())
	case slog.KindFloat64:
		return key.Float64(v.Float64())
	case slog.KindBool:
		return key.Bool(v.Bool())
	default:
		return key.String(v.String())
	}
}
