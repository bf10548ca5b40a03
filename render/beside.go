package render

import (
	"context"
	"errors"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
)

// errNoRoom ends work beside requests that admission has no room for. It is
// not shared: who joined the work meanwhile asks for itself.
var errNoRoom = errors.New("render: no room beside requests")

// Beside tells what became of work that no client waits for.
type Beside string

// The results of work beside requests.
const (
	// BesideMade: the answer is in the cache now.
	BesideMade Beside = "made"
	// BesideKnown: it was there, is being made for a client, or nothing
	// would keep it.
	BesideKnown Beside = "known"
	// BesideSkipped: admission had no room that a client could not want.
	BesideSkipped Beside = "skipped"
)

// MakeBeside makes the job's answer for the cache, where nobody could want
// what that takes: it never waits for a permit and charges no quota. Errors
// are the decoder's, the context's cause, or the *admission.Rejection of a
// job that no waiting can help.
func (r *Renderer) MakeBeside(ctx context.Context, kind admission.FanoutKind, job *Job) (Beside, error) {
	if r.deps.Cache == nil {
		return BesideKnown, nil
	}
	key := r.CacheKey(job)
	if _, known := r.deps.Cache.Has(key); known {
		return BesideKnown, nil
	}
	if refused := r.check(job); refused != nil {
		r.failedBeside(kind)
		return "", refused
	}
	// The probe keeps refused work from standing in the cache as if it were
	// under way; the lease is what counts.
	if a := r.deps.Admission; a != nil && !a.TryProbe(kind, job.Request.Key, job.Plan.Peak()) {
		return BesideSkipped, nil
	}
	var ledger cache.Ledger
	if r.deps.Ledger != nil {
		ledger = r.deps.Ledger("")
	}
	made, err := r.deps.Cache.Prefill(ctx, key, ledger, func(ctx context.Context, w *cache.Writer) error {
		return r.fillBeside(ctx, kind, job, w)
	})
	switch {
	case errors.Is(err, errNoRoom):
		return BesideSkipped, nil
	case err != nil:
		r.failedBeside(kind)
		return "", err
	case made:
		return BesideMade, nil
	default:
		return BesideKnown, nil
	}
}

func (r *Renderer) failedBeside(kind admission.FanoutKind) {
	if r.deps.Admission != nil {
		r.deps.Admission.FanoutFailed(kind)
	}
}

// fillBeside decodes under a lease of its own, if there is one to be had at
// once.
func (r *Renderer) fillBeside(ctx context.Context, kind admission.FanoutKind, job *Job, w *cache.Writer) error {
	if r.deps.Admission == nil {
		return r.decode(ctx, job, w)
	}
	lease, ok := r.deps.Admission.TryAcquire(ctx, kind, r.ask(job))
	if !ok {
		return ownError{errNoRoom}
	}
	defer lease.Release()
	if err := w.Admitted(); err != nil {
		return err
	}
	return r.decode(lease.Context(ctx), job, w)
}
