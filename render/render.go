// Package render is the life of an image request without HTTP: it finds the
// object, plans the work, and produces the bytes.
package render

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/iiifd/admission"
	"example.com/iiifd/auth"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// ErrSourceRefused is returned for a source whose kind or size the
// configuration does not allow.
var ErrSourceRefused = errors.New("render: source not allowed by the configuration")

// Decoder reads headers and carries out plans. decode.Engine is one.
type Decoder interface {
	Shape(ctx context.Context, obj source.Object) (plan.Shape, error)
	// Render writes the encoded image. When the context ends it stops as
	// soon as the decoder can, and returns only after it has.
	Render(ctx context.Context, obj source.Object, p plan.Plan, w io.Writer) error
	// Mark describes the watermark in a file.
	Mark(ctx context.Context, path string) (plan.Mark, error)
	// Formats are the output formats that work here, always the same.
	Formats() []iiif.Format
	// Version changes when the same plan may give other bytes.
	Version() string
	// PlanOptions are the settings that plans are made with; the limits are
	// the renderer's.
	PlanOptions() plan.Options
}

// Deps are the parts that a Renderer joins.
type Deps struct {
	Decoder Decoder
	// Cache keeps and joins answers; nil makes each answer anew.
	Cache *cache.Cache
	// Admission decides which decode may run; nil lets all run.
	Admission *admission.Controller
	// Handles keeps sources open between requests; nil opens them for each.
	Handles *source.Pool
	// Ledger books answers in memory for a client's key; nil for the
	// cache's own ledger.
	Ledger func(key string) cache.Ledger
	// Threshold is the price in bytes that the URL classifier compares with.
	Threshold int64
	// WatchMemory begins to watch this process' private memory; what it returns
	// ends that and returns by how many bytes it rose at its highest, 0 where
	// that cannot be told. Nil where nothing is to be measured.
	WatchMemory func() (stop func() int64)
	// Tracer makes the spans of the stages; nil for none.
	Tracer trace.Tracer
	// Registerer takes the metrics; may be nil.
	Registerer prometheus.Registerer
}

// Renderer answers image requests.
type Renderer struct {
	deps    Deps
	decoder Decoder
	shapes  *shapes
	tracer  trace.Tracer
	metrics *metrics
	current atomic.Pointer[Config]
	formats []iiif.Format
	options atomic.Pointer[optionsText] // the last ones
}

// New makes a renderer; probes is the number of headers read at once where
// the configuration leaves it open.
func New(cfg Config, deps Deps, probes int) (*Renderer, error) {
	if cfg.HeaderProbes > 0 {
		probes = cfg.HeaderProbes
	}
	r := &Renderer{deps: deps, decoder: deps.Decoder, tracer: deps.Tracer, formats: deps.Decoder.Formats()}
	r.shapes = newShapes(deps.Decoder, cfg.ShapeCacheBytes, probes)
	r.metrics = newMetrics(deps.Registerer, r.shapes.probes)
	r.shapes.headers = r.metrics.headers
	if r.tracer == nil {
		r.tracer = noop.Tracer{}
	}
	return r, r.Reload(cfg)
}

// Reload takes new values of the reloadable settings.
func (r *Renderer) Reload(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	r.current.Store(&cfg)
	return nil
}

// Prepare finds the object, reads its header and plans the work; nothing is
// decoded. Errors are *iiif.Error for requests that cannot be answered,
// source.ErrNotFound, ErrSourceRefused or the decoder's.
func (r *Renderer) Prepare(ctx context.Context, req Request) (*Job, error) {
	if !slices.Contains(r.formats, req.Params.Format) {
		return nil, &iiif.Error{Status: 400, Code: iiif.CodeFormatUnsupported, Parameter: iiif.ParameterFormat, Reason: "This server does not write that format."}
	}
	info, err := r.stat(ctx, req.Subject)
	if err != nil {
		return nil, err
	}
	info, p, err := r.price(ctx, req, info)
	if err != nil {
		return nil, err
	}
	return r.job(req, info, p), nil
}

// job joins what is known about a request.
func (r *Renderer) job(req Request, info source.Info, p plan.Plan) *Job {
	job := &Job{Request: req, Info: info, Plan: p, Canonical: p.Transform.Canonical(), MediaType: req.Params.Format.MediaType()}
	job.identity = r.identity(job)
	sum := sha256.Sum256([]byte(job.identity))
	job.ETag = `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
	return job
}

// beside plans another request on the image that job saw.
func (r *Renderer) beside(seen *Job, params iiif.Params) (*Job, error) {
	p, err := r.plan(seen.Plan.Shape, params, seen.Plan.Options)
	if err != nil {
		return nil, err
	}
	req := seen.Request
	req.Params, req.Deadline = params, time.Time{}
	return r.job(req, seen.Info, p), nil
}

// stat describes the object as it is now.
func (r *Renderer) stat(ctx context.Context, s Subject) (info source.Info, err error) {
	span := Stage(ctx, r.tracer, StageStat)
	defer func() { EndStage(span, err) }()
	return s.Source.Stat(ctx, s.Identifier)
}

// price reads the header, where it is not known yet, and plans the work. The
// description it returns is of what it read.
func (r *Renderer) price(ctx context.Context, req Request, seen source.Info) (info source.Info, p plan.Plan, err error) {
	span := Stage(ctx, r.tracer, StagePlan)
	defer func() { EndStage(span, err) }()
	info, shape, err := r.shape(ctx, req.Subject, seen)
	if err != nil {
		return info, p, err
	}
	options := r.decoder.PlanOptions()
	if err := r.restrict(ctx, &options, shape, req.Restriction); err != nil {
		return info, p, err
	}
	if p, err = r.plan(shape, req.Params, options); err != nil {
		return info, p, err
	}
	if span.IsRecording() {
		span.SetAttributes(AttributeSource.String(string(shape.Loader)), AttributeFormat.String(string(req.Params.Format)),
			AttributeEstimate.Int64(p.Peak()))
	}
	return info, p, nil
}

// restrict sets what the image is shown as.
func (r *Renderer) restrict(ctx context.Context, o *plan.Options, shape plan.Shape, by Restriction) error {
	if !by.Size.IsZero() {
		o.View = shownAs(shape, by.Size)
	}
	if by.Mark == "" {
		return nil
	}
	var err error
	o.Mark, err = r.decoder.Mark(ctx, by.Mark)
	return err
}

// shownAs is the size as which an image is shown, zero where that is its own.
func shownAs(shape plan.Shape, size auth.Size) iiif.Dimensions {
	width, height := shape.Upright()
	w, h := size.Of(width, height)
	if w == width && h == height {
		return iiif.Dimensions{}
	}
	return iiif.Dimensions{Width: w, Height: h}
}

// plan plans a request with the present limits, which are those of the image
// as it is shown.
func (r *Renderer) plan(shape plan.Shape, params iiif.Params, options plan.Options) (plan.Plan, error) {
	width, height := shape.Upright()
	if v := options.View; v != (iiif.Dimensions{}) {
		width, height = v.Width, v.Height
	}
	options.Limits = r.current.Load().limits(width, height)
	return plan.New(shape, params, options)
}

// shape returns the header facts of the object that was seen, and its
// description, which is newer where the object has changed since.
func (r *Renderer) shape(ctx context.Context, s Subject, seen source.Info) (source.Info, plan.Shape, error) {
	info, shape, err := r.shapes.get(ctx, s, seen)
	if err != nil {
		return info, shape, err
	}
	cfg := r.current.Load()
	if len(cfg.SourceFormats) > 0 && !slices.Contains(cfg.SourceFormats, string(shape.Loader)) {
		return info, shape, fmt.Errorf("%w: kind %s", ErrSourceRefused, shape.Loader)
	}
	if pixels := int64(shape.Width) * int64(shape.Height); cfg.SourceMaxPixels > 0 && pixels > cfg.SourceMaxPixels {
		return info, shape, fmt.Errorf("%w: %d pixels", ErrSourceRefused, pixels)
	}
	return info, shape, nil
}
