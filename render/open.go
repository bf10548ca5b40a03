package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// ownError is an error of the request's own, which others who wait for the
// same answer might not meet: its refusal or its time-out.
type ownError struct{ error }

// NotShared is what the cache asks errors for.
func (ownError) NotShared() bool { return true }

func (e ownError) Unwrap() error { return e.error }

// Open produces the job's answer: from the cache, from a decode under way,
// or by its own decode, which first needs a lease. Errors are
// *admission.Rejection, source.ErrChanged, the decoder's, or the context's
// cause.
func (r *Renderer) Open(ctx context.Context, job *Job) (*Answer, error) {
	if r.deps.Cache == nil {
		return r.openDirect(ctx, job)
	}
	opt := cache.Options{Nested: admission.FromContext(ctx) != nil}
	if r.deps.Ledger != nil {
		opt.Ledger = r.deps.Ledger(job.Request.Key)
	}
	span := Stage(ctx, r.tracer, StageCache)
	reader, from, err := r.deps.Cache.Do(ctx, r.CacheKey(job), opt, func(ctx context.Context, w *cache.Writer) error {
		return r.fill(ctx, job, w, w.Admitted)
	})
	if err == nil && span.IsRecording() {
		span.SetAttributes(AttributeCache.String(string(outcome(from))))
	}
	EndStage(span, err)
	if err != nil {
		return nil, err
	}
	r.replayed(from)
	return answer(reader, from), nil
}

func answer(reader *cache.Reader, from cache.Outcome) *Answer {
	a := &Answer{Body: reader, Size: -1, Outcome: outcome(from)}
	if n, known := reader.Size(); known {
		a.Size = n
	}
	return a
}

// replayed counts answers that needed no permit.
func (r *Renderer) replayed(from cache.Outcome) {
	if r.deps.Admission == nil {
		return
	}
	switch from {
	case cache.Joined:
		r.deps.Admission.Replayed("joined")
	case cache.Memory, cache.Disk:
		r.deps.Admission.Replayed("cache")
	case cache.Filled:
	}
}

// openDirect makes the answer without a cache.
func (r *Renderer) openDirect(ctx context.Context, job *Job) (*Answer, error) {
	var b bytes.Buffer
	if err := r.fill(ctx, job, &b, func() error { return nil }); err != nil {
		return nil, err
	}
	return &Answer{Body: buffered{&b}, Size: int64(b.Len()), Outcome: OutcomeDecoded}, nil
}

// buffered is an answer in memory.
type buffered struct{ *bytes.Buffer }

func (buffered) Close() error { return nil }

// CacheKey names the job's answer in the cache. The object's inode is left out,
// so that the cache survives a restart and a copied collection.
func (r *Renderer) CacheKey(job *Job) cache.Key {
	s := job.Request.Subject
	name := s.Identifier
	if s.Object != "" {
		name = s.Object
	}
	return cache.Key{Object: ObjectName(s.Scope, name), Text: job.identity}
}

// ObjectName is the cache's name for an image, by which it is purged.
func ObjectName(scope, identifier string) string {
	if scope == "" {
		return identifier
	}
	return scope + ":" + identifier
}

// fill acquires a lease, decodes and lets the lease go once libvips has
// returned, whatever became of the client.
func (r *Renderer) fill(ctx context.Context, job *Job, w io.Writer, admitted func() error) error {
	if r.deps.Admission == nil {
		if err := admitted(); err != nil {
			return err
		}
		return r.decode(ctx, job, w)
	}
	lease, err := r.acquire(ctx, job)
	if err != nil {
		return ownError{err}
	}
	defer lease.Release()
	if err := admitted(); err != nil {
		return err
	}
	peak := r.watch(job, lease)
	err = r.decode(lease.Context(ctx), job, w)
	lease.Record(admission.Result{OK: err == nil, Peak: peak()})
	return err
}

// watch measures what the job takes, where that can be told from what others
// take: work that begins alone, and is large beside what a process does
// besides. The function returned ends it and returns bytes, 0 for not
// measured.
func (r *Renderer) watch(job *Job, lease *admission.Lease) func() int64 {
	drawn := job.Plan.Shape.Loader == plan.LoaderPDF || job.Plan.Shape.Loader == plan.LoaderSVG
	if r.deps.WatchMemory == nil || drawn || job.Plan.Peak() < r.deps.Threshold || !lease.Alone() {
		return func() int64 { return 0 }
	}
	return r.deps.WatchMemory()
}

// acquire asks for a lease. The deadline bounds the waiting alone: an answer
// that has begun may take longer.
func (r *Renderer) acquire(ctx context.Context, job *Job) (lease *admission.Lease, err error) {
	span := Stage(ctx, r.tracer, StageAcquire)
	defer func() {
		if span.IsRecording() {
			span.SetAttributes(AttributeEstimate.Int64(job.Plan.Peak()))
			DescribeLease(span, job.Charge(), err)
		}
		EndStage(span, err)
	}()
	if d := job.Request.Deadline; !d.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, d)
		defer cancel()
	}
	ask := r.ask(job)
	r.metrics.estimate.WithLabelValues(string(job.Plan.Shape.Loader), ask.Format).Observe(float64(ask.Peak))
	lease, err = r.deps.Admission.Acquire(ctx, ask)
	if err != nil {
		return nil, err
	}
	charge := lease.Charge()
	job.charge.Store(&charge)
	return lease, nil
}

func (r *Renderer) ask(job *Job) admission.Ask {
	return admission.Ask{
		URL:      admission.Classify(job.Request.Params, r.deps.Threshold),
		Peak:     job.Plan.Peak(),
		Seconds:  job.Plan.Seconds(),
		Key:      job.Request.Key,
		Identity: job.Request.Identity,
		Format:   string(job.Request.Params.Format),
		Label:    job.Canonical,
	}
}

// decode carries the plan out on the object as Prepare saw it.
func (r *Renderer) decode(ctx context.Context, job *Job, w io.Writer) (err error) {
	span := Stage(ctx, r.tracer, StageDecode)
	defer func() { EndStage(span, err) }()
	return r.carryOut(ctx, &job.Request.Subject, &job.Info, &job.Plan, w)
}

// carryOut carries a plan out on the object that info describes.
func (r *Renderer) carryOut(ctx context.Context, s *Subject, info *source.Info, p *plan.Plan, w io.Writer) error {
	obj, err := r.open(ctx, s, info)
	if err != nil {
		return err
	}
	defer obj.Close()
	if obj.Info().Key != info.Key {
		return fmt.Errorf("render: %w", source.ErrChanged)
	}
	if err := r.decoder.Render(ctx, obj, *p, w); err != nil {
		// Bytes that changed under the decoder look like damage.
		if errors.Is(obj.Verify(), source.ErrChanged) {
			return fmt.Errorf("render: %w", source.ErrChanged)
		}
		return err
	}
	return obj.Verify()
}

// open opens the object that info describes, or what has taken its place.
func (r *Renderer) open(ctx context.Context, s *Subject, info *source.Info) (source.Object, error) {
	if r.deps.Handles == nil {
		return s.Source.Open(ctx, s.Identifier)
	}
	return r.deps.Handles.Open(ctx, s.Source, s.Identifier, *info)
}

// Head returns the size of the job's answer where it is cached, else -1 and
// what no waiting could help: the *admission.Rejection that GET would get.
func (r *Renderer) Head(job *Job) (int64, error) {
	if r.deps.Cache != nil {
		if reader, ok := r.deps.Cache.Get(r.CacheKey(job)); ok {
			defer reader.Close()
			if n, known := reader.Size(); known {
				return n, nil
			}
			return -1, nil
		}
	}
	if refused := r.check(job); refused != nil {
		return -1, refused
	}
	return -1, nil
}
