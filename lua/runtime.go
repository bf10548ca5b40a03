package lua

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Runtime runs scripts in worker processes. All methods may be called from
// several goroutines at once.
type Runtime struct {
	config  Config
	host    Host
	log     *slog.Logger
	metrics *runtimeMetrics
	jail    *jail
	routes  Routes

	hasHook, hasFileHook bool
	scripts, hooks       *lane
	closed               chan struct{}
	decisions            *decisionCache

	// observe, where set by a test, is told which worker a call uses.
	observe func(*worker)
}

// lane is what scripts have apart from hooks: their bounds, and the workers
// that keep within them.
type lane struct {
	kind  string        // metric label: "script" or "hook"
	slots chan struct{} // one token for each call that runs
	pool  *pool
}

func newLane(kind string, slots int, memory int64, command []string, s settings, m *runtimeMetrics) (*lane, error) {
	s.MemoryLimit = memory
	p, err := newPool(command, &s, m)
	return &lane{kind: kind, slots: make(chan struct{}, slots), pool: p}, err
}

// New checks the init script and starts the first worker. It fails where the
// init script fails, and where routes collide. Close ends the workers.
func New(ctx context.Context, c Config, host Host, log *slog.Logger, reg prometheus.Registerer) (*Runtime, error) {
	s, err := c.settings()
	if err != nil {
		return nil, err
	}
	scripts, hooks := c.SlotCounts()
	r := &Runtime{
		config: c, host: host, log: log, metrics: newMetrics(reg),
		closed:    make(chan struct{}),
		decisions: newDecisionCache(c.CacheTTL, c.CacheSlots),
	}
	if r.jail, err = newJail(s.Roots); err != nil {
		return nil, err
	}
	if r.scripts, err = newLane("script", scripts, c.MemoryLimit, c.Command, *s, r.metrics); err != nil {
		return nil, err
	}
	if r.hooks, err = newLane("hook", hooks, c.hookMemory(), c.Command, *s, r.metrics); err != nil {
		return nil, err
	}
	if err := r.probe(ctx); err != nil {
		r.scripts.pool.close()
		r.hooks.pool.close()
		return nil, err
	}
	return r, nil
}

// probe runs the init script once, where there is one as hooks will: without
// there are no hooks, and a worker for scripts is started. Which hooks exist is settled here: a
// later version of the file that lacks one makes requests fail, not pass.
func (r *Runtime) probe(ctx context.Context) error {
	in := r.hooks
	if r.config.InitScript == "" {
		in = r.scripts
	}
	s, err := r.call(ctx, in, &startMessage{Kind: callProbe}, nil)
	if err != nil {
		return fmt.Errorf("init script: %w", err)
	}
	r.hasHook = slices.Contains(s.result.Hooks, globalHook)
	r.hasFileHook = slices.Contains(s.result.Hooks, globalFile)
	routes := append(slices.Clone(r.config.Routes), s.result.Routes...)
	if err := CheckRoutes(routes); err != nil {
		return err
	}
	r.routes = routes
	return nil
}

// Routes are the routes of the configuration file and of the init script.
func (r *Runtime) Routes() Routes { return r.routes }

// Hooks tells whether the init script defines pre_flight and file_pre_flight.
func (r *Runtime) Hooks() (image, file bool) { return r.hasHook, r.hasFileHook }

// Close waits for the calls that run, which takes no longer than their
// timeout, and ends all workers. It must be called once; calls made later
// fail with ErrClosed.
func (r *Runtime) Close() {
	close(r.closed)
	for _, l := range []*lane{r.scripts, r.hooks} {
		for range cap(l.slots) {
			l.slots <- struct{}{}
		}
		l.pool.close()
	}
}

// Serve runs a script file: .lua or .elua, relative to the script directory
// or absolute. It returns when the script has ended or has sent so much that
// waiting for the rest is not worthwhile; the response's Body must be closed
// in any case. Errors are *ScriptError, *KilledError, those that wrap
// ErrNoScript, and the context's while it waits for a slot; then nothing was
// sent and the request fails alone.
//
// The caller holds a lease for the script, which ctx carries, until Serve
// has failed or Body is closed.
func (r *Runtime) Serve(ctx context.Context, script string, req *Request) (*Response, error) {
	s, err := r.begin(ctx, r.scripts, &startMessage{Kind: callScript, Script: script}, req)
	if err != nil {
		return nil, err
	}
	length := int64(-1)
	select {
	case <-s.ready:
	case <-s.done:
		if s.err != nil && !s.begun() {
			s.spool.close()
			return nil, s.err
		}
		if s.err == nil {
			length = s.spool.written()
		}
	}
	return &Response{Status: s.head.Status, Header: s.header(), Body: &body{session: s}, Length: length, Done: s.done}, nil
}

// begun tells whether so much was sent that the head may have left.
func (s *session) begun() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// call runs a hook to its end.
func (r *Runtime) call(ctx context.Context, in *lane, start *startMessage, req *Request) (*session, error) {
	s, err := r.begin(ctx, in, start, req)
	if err != nil {
		return nil, err
	}
	<-s.done
	if s.err != nil {
		s.spool.close()
		return nil, s.err
	}
	return s, nil
}

// begin waits for a slot and a worker and starts the call.
func (r *Runtime) begin(ctx context.Context, in *lane, start *startMessage, req *Request) (*session, error) {
	select {
	case in.slots <- struct{}{}:
	default:
		waiting := r.metrics.waiting.WithLabelValues(in.kind)
		waiting.Inc()
		defer waiting.Dec()
		select {
		case in.slots <- struct{}{}:
		case <-r.closed:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	w, err := in.pool.get(ctx)
	if err != nil {
		<-in.slots
		return nil, err
	}
	if r.observe != nil {
		r.observe(w)
	}
	return r.newSession(ctx, in, w, start, req), nil
}
