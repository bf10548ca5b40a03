package render

import (
	"context"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
)

// Largest returns the canonical request of the largest picture of the job's
// region, rotation, quality and format that would be admitted, and its size
// before rotation; ok is false where none would.
func (r *Renderer) Largest(job *Job) (canonical string, size iiif.Dimensions, ok bool) {
	t := job.Plan.Transform
	low, high := 0, t.Width
	for low < high { // Prices hardly ever fall with size; what is found is checked below.
		middle := low + (high-low+1)/2
		if _, fits := r.fits(job, middle); fits {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if low == 0 {
		return "", size, false
	}
	found, _ := r.fits(job, low)
	return found.Transform.Canonical(), iiif.Dimensions{Width: found.Transform.Width, Height: found.Transform.Height}, true
}

// fits plans the job at another width and tells whether it would be
// admitted.
func (r *Renderer) fits(job *Job, width int) (*plan.Plan, bool) {
	t := job.Plan.Transform
	params := job.Request.Params
	height := max(1, int((int64(width)*int64(t.Height)+int64(t.Width)/2)/int64(t.Width)))
	params.Size = iiif.Size{Kind: iiif.SizeExact, Width: width, Height: height}
	p, err := r.plan(job.Plan.Shape, params, job.Plan.Options)
	if err != nil {
		return nil, false
	}
	smaller := &Job{Request: job.Request, Plan: p}
	smaller.Request.Params = params
	return &p, r.check(smaller) == nil
}

// check returns what no waiting could help.
func (r *Renderer) check(job *Job) *admission.Rejection {
	if r.deps.Admission == nil {
		return nil
	}
	ctx := context.Background()
	if d := job.Request.Deadline; !d.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, d)
		defer cancel()
	}
	return r.deps.Admission.Check(ctx, r.ask(job))
}
