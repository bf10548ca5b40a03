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
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	w, err := startWorker(ctx, p.command, p.settings)
	if err == nil {
		p.metrics.starts.Inc()
		p.metrics.workers.Inc()
	}
	return w, err
}

// put takes a worker back. One that is not healthy is ended; the caller does
// not wait for that.
func (p *pool) put(w *worker) {
	w.calls++
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && w.healthy() {
		p.idle = append(p.idle, w)
		return
	}
	p.ending.Add(1)
	go func() {
		defer p.ending.Done()
		w.stop()
		p.metrics.workers.Dec()
	}()
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
