package render

import (
	"context"
	"sync"

	"example.com/iiifd/admission"
)

// prefetchQueue bounds the served tiles whose neighbours are still to be
// looked at. What a viewer showed before them it has moved on from.
const prefetchQueue = 64

// Prefetcher makes the neighbours of served tiles before they are asked for.
// Its work takes only what no client could want, is priced each by itself,
// and leaves alone what is priced as a full.
type Prefetcher struct {
	renderer *Renderer
	served   chan *Job
	ctx      context.Context //nolint:containedctx // ends with Close
	stop     context.CancelFunc
	workers  sync.WaitGroup
}

// NewPrefetcher starts a number of workers. They stand still while the
// setting is off, which Reload may change.
func NewPrefetcher(r *Renderer, workers int) *Prefetcher {
	p := &Prefetcher{renderer: r, served: make(chan *Job, prefetchQueue)}
	p.ctx, p.stop = context.WithCancel(context.Background())
	for range max(workers, 1) {
		p.workers.Go(p.work)
	}
	return p
}

// Served tells that a job's answer was sent. It never waits; nothing happens
// on a nil Prefetcher.
func (p *Prefetcher) Served(job *Job) {
	if p == nil || !p.renderer.current.Load().Prefetch {
		return
	}
	select {
	case p.served <- job:
	default:
		p.skipped()
	}
}

// Close ends the work and waits for it.
func (p *Prefetcher) Close() {
	if p == nil {
		return
	}
	p.stop()
	p.workers.Wait()
}

func (p *Prefetcher) work() {
	for {
		select {
		case job := <-p.served:
			p.around(job)
		case <-p.ctx.Done():
			return
		}
	}
}

// around makes the tiles around a served one.
func (p *Prefetcher) around(served *Job) {
	r := p.renderer
	for _, params := range r.neighbours(served, r.current.Load().PrefetchMax) {
		target, err := r.beside(served, params)
		if err != nil {
			r.failedBeside(admission.FanoutPrefetch)
			return
		}
		if target.Plan.Peak() >= r.deps.Threshold && r.deps.Threshold > 0 {
			p.skipped()
			continue
		}
		// What failed is counted; nobody waits to be told.
		if _, err := r.MakeBeside(p.ctx, admission.FanoutPrefetch, target); err != nil && p.ctx.Err() != nil {
			return
		}
	}
}

func (p *Prefetcher) skipped() {
	if a := p.renderer.deps.Admission; a != nil {
		a.FanoutSkipped(admission.FanoutPrefetch)
	}
}
