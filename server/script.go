package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"example.com/iiifd/admission"
	"example.com/iiifd/lua"
	"example.com/iiifd/render"
)

// script is what a route or a page of the docroot runs.
type script struct {
	file string
	// label names it in the decisions ring and in logs.
	label string
	// docroot is the document root of a page, "" for a route.
	docroot string
}

// script runs a script as full-lane work: what pressure forbids is refused
// before the body is read, the body is read before anything is admitted, and
// the lease is held until the script has stopped.
func (s *Server) script(w http.ResponseWriter, r *http.Request, sc script) error {
	if !slices.Contains(scriptMethods, r.Method) && r.Method != http.MethodOptions {
		return s.nothing(w, r)
	}
	if a := s.deps.Admission; a != nil {
		if refused := a.Gate(admission.LaneFull); refused != nil {
			if r.ContentLength != 0 {
				w.Header().Set("Connection", "close") // Else net/http reads the body before it answers.
			}
			return refused
		}
	}
	body, err := s.readBody(r)
	if err != nil {
		return err
	}
	defer body.release()
	req := body.request
	c := s.caller(r)
	req.Host, req.ClientIP, req.Secure, req.Docroot = c.host, c.address, c.secure, sc.docroot

	ctx, release, err := s.admitScript(r, sc, body.hold)
	if err != nil {
		return err
	}
	defer release()
	answer, err := s.deps.Scripts.Serve(ctx, sc.file, req)
	if err != nil {
		return err
	}
	// The lease ends with the script, not with its client's reading.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-answer.Done
		release()
	}()
	span := render.Stage(r.Context(), s.tracing, render.StageWrite)
	err = sendScript(w, r, sc, answer)
	render.EndStage(span, err)
	_ = answer.Body.Close() // Only ends what still runs.
	<-ended
	return err
}

// admitScript takes the script's lease; release gives it back, once.
func (s *Server) admitScript(r *http.Request, sc script, held int64) (context.Context, func(), error) {
	x := exchangeOf(r)
	ctx := r.Context()
	if s.deps.Admission == nil {
		return ctx, func() {}, nil
	}
	lease, charge, err := s.acquireScript(ctx, x, admission.Ask{
		URL: admission.LaneFull, Script: true, Held: held, Key: x.key, Identity: x.identity, Label: sc.label,
	})
	if err != nil {
		return nil, nil, err
	}
	x.facts = append(x.facts, slog.String("lane", string(charge.Lane)), slog.Float64("wait_ms", milliseconds(charge.Wait)))
	return lease.Context(ctx), lease.Release, nil
}

// acquireScript waits for a lease as long as the request may.
func (s *Server) acquireScript(ctx context.Context, x *exchange, ask admission.Ask) (lease *admission.Lease, charge *admission.Charge, err error) {
	span := render.Stage(ctx, s.tracing, render.StageAcquire)
	defer func() {
		render.DescribeLease(span, charge, err)
		render.EndStage(span, err)
	}()
	waiting, cancel := context.WithDeadline(ctx, x.deadline)
	defer cancel()
	if lease, err = s.deps.Admission.Acquire(waiting, ask); err != nil {
		return nil, nil, err
	}
	granted := lease.Charge()
	return lease, &granted, nil
}

// sendScript sends a script's answer. A script that fails on the way resets
// the connection.
func sendScript(w http.ResponseWriter, r *http.Request, sc script, a *lua.Response) error {
	h := w.Header()
	copyHeader(h, a.Header)
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", scriptType(sc.file))
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	status := scriptStatus(a.Status)
	bodiless := r.Method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified
	if a.Length >= 0 && !bodiless {
		h.Set("Content-Length", strconv.FormatInt(a.Length, 10))
	}
	w.WriteHeader(status)
	if bodiless {
		return nil
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, a.Body, make([]byte, piece))
	return err
}

// scriptType is the media type of an answer that names none.
func scriptType(file string) string {
	if strings.EqualFold(path.Ext(file), ".elua") {
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// scriptStatus keeps what is no final status from the connection.
func scriptStatus(status int) int {
	if status < 200 || status > 599 {
		return http.StatusInternalServerError
	}
	return status
}

// connectionHeaders are the server's to set.
var connectionHeaders = []string{"Connection", "Content-Length", "Date", "Keep-Alive", "Trailer", "Transfer-Encoding", "Upgrade", "X-Request-Id"}

// copyHeader adds a script's fields. What the server has set already, a
// script may replace.
func copyHeader(to, from http.Header) {
	for name, values := range from {
		if !slices.Contains(connectionHeaders, name) {
			to[name] = slices.Clone(values)
		}
	}
}

// noStore is the cache directive of an answer that a hook gives itself.
func noStore(given string) string {
	if given == "" {
		return "no-store"
	}
	return given
}

// scriptProblem is how a script's failure is told to its client.
func scriptProblem(err error) (problem, bool) {
	var failed *lua.ScriptError
	var killed *lua.KilledError
	switch {
	case errors.Is(err, lua.ErrNoScript):
		return newProblem(http.StatusNotFound, "not_found", "There is nothing at this address."), true
	case errors.Is(err, lua.ErrClosed):
		return tryAgain("draining", "The server is shutting down; try again soon."), true
	case errors.As(err, &killed):
		return newProblem(http.StatusInternalServerError, "script_ended", "A script exceeded its limits; the log tells more under this request's id."), true
	case errors.As(err, &failed):
		return newProblem(http.StatusInternalServerError, "script_failed", "A script failed; the log tells more under this request's id."), true
	}
	return problem{}, false
}
