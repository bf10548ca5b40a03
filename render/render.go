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
	// Formats are the output formats that work here.
	Formats() []iiif.Format
	// Version changes when the same plan may give other bytes.
	Version() string
	// PlanOptions are the settings that plans are made with; the limits are
	// the renderer's.
	PlanOptions() plan.Options
}

// Renderer answers image requests.
type Renderer struct {
	decoder Decoder
	shapes  *shapes
	current atomic.Pointer[Config]
}

// New makes a renderer.
func New(cfg Config, decoder Decoder, probes int) (*Renderer, error) {
	if cfg.HeaderProbes > 0 {
		probes = cfg.HeaderProbes
	}
	r := &Renderer{decoder: decoder, shapes: newShapes(decoder, cfg.ShapeCacheBytes, probes)}
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

// Subject is an image of a source.
type Subject struct {
	Source     source.Source
	Identifier string
}

// Outcome tells where an answer came from.
type Outcome string

// The outcomes.
const (
	OutcomeDecoded Outcome = "decoded"
)

// Job is an image request that is ready to run.
type Job struct {
	Subject   Subject
	Info      source.Info
	Plan      plan.Plan
	Canonical string
	ETag      string
	MediaType string
	// Outcome is set by Renderer.Open.
	Outcome Outcome
}

// Prepare finds the object, reads its header and plans the work; nothing is
// decoded. Errors are *iiif.Error for requests that cannot be answered,
// source.ErrNotFound, ErrSourceRefused or the decoder's.
func (r *Renderer) Prepare(ctx context.Context, s Subject, params iiif.Params) (*Job, error) {
	if !slices.Contains(r.decoder.Formats(), params.Format) {
		return nil, &iiif.Error{Status: 400, Code: "format_unsupported", Parameter: "format", Reason: "This server does not write that format."}
	}
	info, shape, err := r.shape(ctx, s)
	if err != nil {
		return nil, err
	}
	options := r.decoder.PlanOptions()
	options.Limits = r.current.Load().limits(shape.Upright())
	p, err := plan.New(shape, params, options)
	if err != nil {
		return nil, err
	}
	job := &Job{Subject: s, Info: info, Plan: p, Canonical: p.Transform.Canonical(), MediaType: params.Format.MediaType()}
	job.ETag = r.etag(job)
	return job, nil
}

// shape returns the object's description and header facts.
func (r *Renderer) shape(ctx context.Context, s Subject) (source.Info, plan.Shape, error) {
	info, shape, err := r.shapes.get(ctx, s)
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

// identity is everything that decides an answer's bytes, apart from the
// object's place.
func (r *Renderer) identity(job *Job) string {
	options, t := job.Plan.Options, job.Plan.Transform
	options.Limits = iiif.Limits{} // They have shaped the transform already.
	return fmt.Sprintf("%s|%d|%v %dx%d %t %v %s.%s|%v|%s", job.Info.Version, job.Info.Page,
		t.Region, t.Width, t.Height, t.Mirror, t.Angle, t.Quality, t.Format, options, r.decoder.Version())
}

// etag is equal on all replicas that have the same file, settings and
// libvips.
func (r *Renderer) etag(job *Job) string {
	sum := sha256.Sum256([]byte(r.identity(job)))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}
