package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

// image answers an image request.
func (s *Server) image(w http.ResponseWriter, r *http.Request, t target) error {
	setRoute(r, "image")
	ctx := r.Context()
	x := exchangeOf(r)
	job, err := s.deps.Renderer.Prepare(ctx, render.Request{
		Subject: t.subject(), Params: t.request.Params, Policy: t.policy, Restriction: t.restriction, Key: x.key, Identity: x.identity, Deadline: x.deadline,
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("ETag", job.ETag)
	h.Set("Last-Modified", job.Info.ModTime.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", s.cacheControl(t, s.settings().ImageCacheControl))
	modified := job.Info.ModTime
	if t.protected {
		modified = time.Time{} // A date does not tell what was shown then.
	}
	if failedCondition(r, job.ETag, modified) {
		return errPrecondition
	}
	if notModified(r, job.ETag, modified) {
		if s.deps.Admission != nil {
			s.deps.Admission.Replayed(admission.ReplayNotModified)
		}
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	// One field with both links: some clients look at the first one only.
	h.Set("Link", "<"+t.id+"/"+job.Canonical+`>;rel="canonical",`+profileLink(t.request.Version))
	h.Set("Content-Type", job.MediaType)
	if name, ok := downloadName(r, t, job); ok {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	if r.Method == http.MethodHead {
		if err := s.imageHead(w, job); err != nil {
			return s.refused(w, r, t, job, err)
		}
		return nil
	}
	answer, err := s.deps.Renderer.Open(ctx, job)
	if err != nil {
		return s.refused(w, r, t, job, err)
	}
	if answer.Size < 0 {
		// A client that leaves ends a wait for bytes that are still being made.
		stop := context.AfterFunc(ctx, func() { answer.Close() })
		defer stop()
	}
	defer answer.Close()
	s.explain(r, job, answer.Outcome, nil)
	if err := s.send(ctx, w, answer); err != nil {
		return err
	}
	s.deps.Prefetch.Served(job)
	return nil
}

// imageHead answers HEAD without decoding: with the length where the answer
// is stored, else priced only.
func (s *Server) imageHead(w http.ResponseWriter, job *render.Job) error {
	size, err := s.deps.Renderer.Head(job)
	if err != nil {
		return err
	}
	if size >= 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// refused adds to a refusal that no retry can help what would be admitted
// instead.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, t target, job *render.Job, err error) error {
	s.explain(r, job, "", err)
	var rejection *admission.Rejection
	if !errors.As(err, &rejection) || rejection.Code.Kind() != admission.KindNever {
		return err
	}
	canonical, size, ok := s.deps.Renderer.Largest(job)
	if !ok {
		return &tooLargeError{error: err, advice: "No size of this region would be admitted; convert the source with 'iiifd convert'."}
	}
	link := t.id + "/" + canonical
	w.Header().Add("Link", "<"+link+`>;rel="alternate"`)
	return &tooLargeError{error: err, advice: fmt.Sprintf("The largest size that would be admitted is %d,%d.", size.Width, size.Height), alternate: link}
}

// tooLargeError is a refusal with what to ask for instead.
type tooLargeError struct {
	error
	advice    string
	alternate string
}

func (e *tooLargeError) Unwrap() error { return e.error }

// send copies an answer to the client. Content-Length is set where the size
// is known before the head.
func (s *Server) send(ctx context.Context, w http.ResponseWriter, answer *render.Answer) (err error) {
	span := render.Stage(ctx, s.tracing, render.StageWrite)
	defer func() { render.EndStage(span, err) }()
	if answer.Size >= 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(answer.Size, 10))
		_, err = answer.WriteTo(w)
		return err
	}
	// The first piece is read before the head, so that work that fails early
	// still gets an honest status.
	var first bytes.Buffer
	if _, err = first.ReadFrom(io.LimitReader(answer, piece)); err != nil {
		return err
	}
	if first.Len() < piece {
		w.Header().Set("Content-Length", strconv.Itoa(first.Len()))
	}
	if _, err = first.WriteTo(w); err != nil {
		return err
	}
	_, err = answer.WriteTo(w)
	return err
}

// explain adds to the access log what was decided about the job.
func (s *Server) explain(r *http.Request, job *render.Job, from render.Outcome, err error) {
	x := exchangeOf(r)
	if from != "" {
		x.facts = append(x.facts, slog.String("cache", string(from)))
	}
	if c := job.Charge(); c != nil {
		x.facts = append(x.facts, slog.String("lane", string(c.Lane)), slog.String("lane_url", string(c.URL)), slog.String("lane_engine", string(c.Engine)),
			slog.Int64("estimate_bytes", job.Plan.Peak()), slog.Float64("wait_ms", milliseconds(c.Wait)))
		return
	}
	if refused, ok := errors.AsType[*admission.Rejection](err); ok {
		x.facts = append(x.facts, slog.String("lane", string(refused.Lane)), slog.String("lane_url", string(refused.URL)), slog.String("lane_engine", string(refused.Engine)),
			slog.Int64("estimate_bytes", refused.Bytes), slog.Float64("wait_ms", milliseconds(refused.Wait)))
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// profileLink names the compliance level (Image API 3.0, 6).
func profileLink(v iiif.Version) string {
	return `<http://iiif.io/api/image/` + strconv.Itoa(int(v)) + `/level2.json>;rel="profile"`
}

// downloadName returns the file name for ?download: the query's value where
// it has one, else made of the identifier and the parameters.
func downloadName(r *http.Request, t target, job *render.Job) (string, bool) {
	if !r.URL.Query().Has("download") {
		return "", false
	}
	ext := "." + string(t.request.Params.Format)
	if name := fileName(r.URL.Query().Get("download")); name != "" {
		if !strings.HasSuffix(strings.ToLower(name), ext) {
			name += ext
		}
		return name, true
	}
	stem := strings.TrimSuffix(job.Info.Name, path.Ext(job.Info.Name))
	if job.Info.Page >= 0 {
		stem += "_p" + strconv.Itoa(job.Info.Page+1)
	}
	params := strings.NewReplacer("/", "_", ",", "-", ":", "", "^", "up").Replace(strings.TrimSuffix(job.Canonical, ext))
	return fileName(stem) + "_" + params + ext, true
}

// fileName keeps what is safe in a file name on every system, at most 200
// bytes of it.
func fileName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, name)
	name = strings.TrimLeft(name, ".")
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "")
	}
	return name
}
