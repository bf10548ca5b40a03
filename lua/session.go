package lua

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// session is one call from the server's side.
type session struct {
	runtime *Runtime
	lane    *lane
	name    string // for errors
	request *Request
	spool   *spool
	cancel  context.CancelFunc

	headOnce sync.Once
	ready    chan struct{} // closed when the head and some body are there
	head     headMessage

	// result and err are valid once done is closed.
	done   chan struct{}
	result *doneMessage
	err    error
}

// newSession starts a call on a worker. The session puts the worker and the
// slot back when the script has stopped.
func (r *Runtime) newSession(ctx context.Context, in *lane, w *worker, start *startMessage, req *Request) *session {
	s := &session{
		runtime: r, lane: in, name: start.Script, request: req,
		spool: newSpool(r.config.Facts.TempDir),
		ready: make(chan struct{}), done: make(chan struct{}),
		head: headMessage{Status: http.StatusOK},
	}
	if s.name == "" {
		s.name = string(start.Kind)
	}
	if req == nil {
		s.request = &Request{}
	}
	ctx, s.cancel = context.WithTimeout(ctx, r.config.Timeout)
	start.Timeout = r.config.Timeout
	if deadline, ok := ctx.Deadline(); ok {
		start.Timeout = time.Until(deadline)
	}
	start.Request = s.request.wire()
	go func() {
		defer func() { <-in.slots }()
		s.run(ctx, w, start)
	}()
	return s
}

// run drives the worker to the end of the call.
func (s *session) run(ctx context.Context, w *worker, start *startMessage) {
	m := s.runtime.metrics
	began := time.Now()
	m.running.WithLabelValues(s.lane.kind).Inc()
	stop := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.watch(ctx, stop)
	}()
	result, err := s.exchange(ctx, w, start)
	close(stop)
	<-watched
	s.cancel()
	s.result, s.err = result, s.verdictOn(w, result, err)
	if s.err != nil && result == nil {
		w.kill(ReasonCrash) // out of step with us, if it still lives
	}
	s.lane.pool.put(w)
	s.spool.end(s.err)
	m.running.WithLabelValues(s.lane.kind).Dec()
	m.seconds.WithLabelValues(s.lane.kind).Observe(time.Since(began).Seconds())
	m.calls.WithLabelValues(s.lane.kind, outcome(s.err)).Inc()
	close(s.done)
}

// outcome is the metric label of an error.
func outcome(err error) string {
	var killed *KilledError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &killed):
		return "killed"
	case errors.Is(err, ErrNoScript):
		return "missing"
	}
	return "error"
}

// verdictOn turns a worker's end of a call into an error.
func (s *session) verdictOn(w *worker, result *doneMessage, err error) error {
	killed := &KilledError{Script: s.name}
	switch {
	case result != nil && result.Reason != "":
		killed.Reason = result.Reason
	case result != nil && result.Missing:
		return fmt.Errorf("%w: %s", ErrNoScript, s.name)
	case result != nil && result.Error != "":
		return &ScriptError{Script: s.name, Message: result.Error}
	case err == nil:
		return nil
	default:
		killed.Reason = w.crashReason()
		if killed.Reason == ReasonCrash {
			killed.Detail = err.Error() + " " + w.stderr.String()
		}
	}
	s.runtime.metrics.kills.WithLabelValues(string(killed.Reason)).Inc()
	return killed
}

// exchange sends the call and answers the worker until it is done.
func (s *session) exchange(ctx context.Context, w *worker, start *startMessage) (*doneMessage, error) {
	if s.request.Content != nil {
		if err := w.sendContent(s.request.Content); err != nil {
			return nil, err
		}
	}
	if err := w.send(frameStart, start); err != nil {
		return nil, err
	}
	for {
		kind, payload, err := readFrame(w.out, &w.buf)
		if err != nil {
			return nil, err
		}
		if kind == frameDone {
			done := &doneMessage{}
			return done, json.Unmarshal(payload, done)
		}
		if err := s.receive(ctx, w, kind, payload); err != nil {
			return nil, err
		}
	}
}

// receive deals with one frame of a running call.
func (s *session) receive(ctx context.Context, w *worker, kind frameKind, payload []byte) error {
	switch kind {
	case frameHead:
		var head headMessage
		if err := json.Unmarshal(payload, &head); err != nil {
			return err
		}
		s.setHead(head)
		return nil
	case frameBody:
		_, err := s.Write(payload)
		return err
	case frameCall:
		var call callMessage
		if err := json.Unmarshal(payload, &call); err != nil {
			return err
		}
		return w.send(frameReply, s.serve(ctx, call))
	default:
		return fmt.Errorf("lua: unexpected message %q", kind)
	}
}

func (s *session) setHead(head headMessage) { s.head = head }

// Write appends to the response. The head is final once some body is there
// that would not be worth waiting for the rest of.
func (s *session) Write(p []byte) (int, error) {
	n, err := s.spool.Write(p)
	if s.spool.written() >= outputBuffer {
		s.headOnce.Do(func() { close(s.ready) })
	}
	return n, err
}

// header returns the head's fields.
func (s *session) header() http.Header {
	h := http.Header{}
	for _, f := range s.head.Header {
		h.Add(f.Name, f.Value)
	}
	return h
}
