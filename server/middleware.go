package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"example.com/iiifd/iiif"
)

// errRequestTimeout is the cause of a context that ended because no answer
// had begun within the request time-out.
var errRequestTimeout = errors.New("server: request time-out")

// exchange is what one request and its answer leave in the access log.
type exchange struct {
	id string
	// route is the kind of resource, for metrics.
	route string
	// deadline is when the answer must have begun.
	deadline time.Time
	// key is the client's fairness key, identity its API key's name.
	key, identity string
	// facts are added by handlers: lane, estimate, wait, cache verdict.
	facts []slog.Attr
	// code is the problem's code, empty for a success.
	code string
	// cause is an error whose text belongs in the log only.
	cause error
}

type exchangeKey struct{}

// exchangeOf returns the request's exchange; every request has one.
func exchangeOf(r *http.Request) *exchange {
	if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

func requestID(r *http.Request) string { return exchangeOf(r).id }

// observe gives each request an id, a deadline for its first byte and an
// access log line, and turns panics into 500.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began := time.Now()
		// From here on EscapedPath is the path as it was sent, for the router too.
		r.URL.RawPath = iiif.SentPath(r.URL)
		x := &exchange{id: s.chooseID(r), deadline: began.Add(s.settings().RequestTimeout)}
		ctx := s.tracing.begin(r.Context(), r)
		x.key, x.identity = s.client(r)
		ctx, cancel := context.WithCancelCause(context.WithValue(ctx, exchangeKey{}, x))
		defer cancel(nil)
		timer := time.AfterFunc(s.settings().RequestTimeout, func() { cancel(errRequestTimeout) })
		defer timer.Stop()
		limitBody(rw, r, s.settings().BodyReadTimeout)
		w := newWriter(rw, connectionOf(r), s.settings().WriteTimeout, timer)
		w.Header().Set("X-Request-Id", x.id)
		r = r.WithContext(ctx)
		s.metrics.inFlight.Inc()
		defer func() {
			s.metrics.inFlight.Dec()
			p := recover()
			err, _ := p.(error)
			aborted := errors.Is(err, http.ErrAbortHandler)
			if p != nil && !aborted {
				s.log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("request_id", x.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				aborted = !s.answerFailure(w, r, fmt.Errorf("panic: %v", p))
			}
			s.finish(r, w, x, time.Since(began), aborted)
			if aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// finish counts the exchange and writes its access log line.
func (s *Server) finish(r *http.Request, w *writer, x *exchange, took time.Duration, aborted bool) {
	if w.failed != nil {
		aborted = true
		if x.code == "" {
			x.code, x.cause = codeClientGone, w.failed
		}
	}
	status := w.status
	if status == 0 {
		status = http.StatusOK
		if aborted {
			status = statusClientGone
		}
	}
	status, sent := outcome(status, aborted, x), status
	s.metrics.observe(r, status, took)
	attrs := make([]slog.Attr, 0, 10+len(x.facts))
	attrs = append(attrs,
		slog.String("request_id", x.id), slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()),
		slog.String("proto", r.Proto), slog.Int("status", sent), slog.Int64("bytes", w.bytes),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000))
	if x.code != "" {
		attrs = append(attrs, slog.String("code", x.code))
	}
	if aborted {
		attrs = append(attrs, slog.Bool("reset", true))
	}
	if x.cause != nil {
		attrs = append(attrs, slog.String("cause", detail(x.cause)))
	}
	if ua := r.UserAgent(); ua != "" {
		attrs = append(attrs, slog.String("user_agent", ua))
	}
	attrs = append(attrs, x.facts...)
	if span := trace.SpanFromContext(r.Context()); span.IsRecording() {
		attrs = append(attrs, slog.String("trace_id", span.SpanContext().TraceID().String()))
	}
	level := slog.LevelInfo
	if x.route == routeHealth && status < http.StatusBadRequest {
		level = slog.LevelDebug // Probes ask several times a minute, for ever.
	}
	s.access.LogAttrs(r.Context(), level, "request", attrs...)
	s.tracing.end(r, status, w.bytes, x)
}

// outcome is the status that is counted. An answer that was cut off after its
// head is no success, whatever its head said.
func outcome(status int, aborted bool, x *exchange) int {
	switch {
	case !aborted:
		return status
	case x.code == codeClientGone:
		return statusClientGone
	default:
		return http.StatusInternalServerError
	}
}

// detail is an error's text for the log, a decoder's own words included.
func detail(err error) string {
	var d interface{ Detail() string }
	if errors.As(err, &d) && d.Detail() != "" {
		return err.Error() + ": " + d.Detail()
	}
	return err.Error()
}

// chooseID takes a trusted proxy's request id, else makes one.
func (s *Server) chooseID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && len(id) <= 128 && s.settings().proxies.trusts(peer(r)) &&
		strings.IndexFunc(id, func(c rune) bool { return c <= ' ' || c >= 0x7f }) < 0 {
		return id
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // Never fails (crypto/rand).
	return hex.EncodeToString(b[:])
}

// handler is a request handler that leaves errors to one place.
type handler func(w http.ResponseWriter, r *http.Request) error

// handle adapts a handler: errors before the head become problems, errors
// after it reset the connection so that no answer looks whole that is not.
func (s *Server) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// fail answers with the error's problem, or resets the connection where that
// cannot be done.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if !s.answerFailure(w, r, err) {
		panic(http.ErrAbortHandler)
	}
}

// answerFailure notes the error for the log and answers with its problem. It
// returns false where the answer has already begun or nobody waits for it.
func (s *Server) answerFailure(w http.ResponseWriter, r *http.Request, err error) bool {
	p := problemOf(r.Context(), err)
	x := exchangeOf(r)
	x.code = p.Code
	ww, ok := w.(*writer)
	began := ok && ww.began
	if began || p.Status >= http.StatusInternalServerError || p.Status == statusClientGone {
		x.cause = err
	}
	if began || p.Status == statusClientGone {
		return false
	}
	p.write(w, r)
	return true
}
