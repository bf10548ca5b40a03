package lua

import (
	"context"
	"os"
	"sync"
)

// pool keeps idle workers. How many there are is bounded by those who get
// them.
type pool struct {
	command  []string
	settings *settings
	metrics  *runtimeMetrics

	mu     sync.Mutex
	idle   []*worker
	closed bool
	ending sync.WaitGroup
}

func newPool(command []string, s *settings, m *runtimeMetrics) (*pool, error) {
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{self, WorkerCommand}
	}
	return &pool{command: command, settings: s, metrics: m}, nil
}

// get returns the worker that was used last, or a new one.
func (p *pool) get(ctx context.Context) (*worker, error) {
	for {
		w, err := p.pop()
		if err != nil {
			return nil, err
		}
		if w == nil {
			break
		}
		if w.gauge.alive() {
			return w, nil
		}
		p.discard(w) // somebody killed it while it was idle
	}
	w, err := startWorker(ctx, p.command, p.settings)
	if err == nil {
		p.metrics.starts.Inc()
		p.metrics.workers.Inc()
	}
	return w, err
}

// pop takes an idle worker, nil if there is none.
func (p *pool) pop() (*worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	n := len(p.idle)
	if n == 0 {
		return nil, nil //nolint:nilnil // none is idle
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w, nil
}

// discard ends a worker; the caller does not wait for that.
func (p *pool) discard(w *worker) {
	p.ending.Go(func() {
		w.stop()
		p.metrics.workers.Dec()
	})
}

// put takes a worker back; one that is not healthy is ended.
func (p *pool) put(w *worker) {
	w.calls++
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && w.healthy() {
		p.idle = append(p.idle, w)
		return
	}
	p.discard(w)
}

// close ends all idle workers and waits; those in use end when they are put
// back.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, w := range idle {
		w.stop()
		p.metrics.workers.Dec()
	}
	p.ending.Wait()
}
