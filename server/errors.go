package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// problem is an error as clients see it (RFC 9457). Its text never holds
// file-system paths or a decoder's words.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Detail    string `json:"detail,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	// Alternate is a request that would be admitted.
	Alternate  string `json:"alternate,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"`
	RequestID  string `json:"request_id,omitempty"`
}

// statusClientGone is what logs and metrics say when the client left before
// the answer; it is never sent.
const statusClientGone = 499

const (
	codeClientGone  = "client_gone"
	codeUnsupported = "source_unsupported"
)

// newProblem makes a problem of a status, a stable code and a sentence.
func newProblem(status int, code, detail string) problem {
	title := http.StatusText(status)
	if title == "" {
		title = "Client closed the request"
	}
	return problem{Type: "about:blank", Title: title, Status: status, Code: code, Detail: detail}
}

// tryAgain is a problem that has nothing to do with the request and is gone
// in a second.
func tryAgain(code, detail string) problem {
	p := newProblem(http.StatusServiceUnavailable, code, detail)
	p.RetryAfter = 1
	return p
}

// problemOf is the one place where errors become HTTP.
func problemOf(ctx context.Context, err error) problem {
	var denied *refusal
	var refused *iiif.Error
	var rejected *admission.Rejection
	var failed *plan.Failure
	var size *plan.SizeError
	switch {
	case errors.Is(context.Cause(ctx), errRequestTimeout):
		return newProblem(http.StatusRequestTimeout, "request_timeout", "The server did not get to an answer in time.")
	case errors.Is(err, errBodyTimeout):
		return newProblem(http.StatusRequestTimeout, "body_timeout", "The body of the request did not come in time.")
	case ctx.Err() != nil, errors.Is(err, errClientGone):
		return newProblem(statusClientGone, codeClientGone, "")
	case errors.As(err, &denied):
		return refusedProblem(denied)
	case errors.As(err, &refused):
		p := newProblem(refused.Status, refused.Code, refused.Reason)
		p.Parameter = refused.Parameter
		return p
	case errors.As(err, &rejected):
		p := refusalProblem(rejected)
		if advised, ok := errors.AsType[*tooLargeError](err); ok {
			p.Detail += " " + advised.advice
			p.Alternate = advised.alternate
		}
		return p
	case errors.Is(err, errPrecondition):
		return newProblem(http.StatusPreconditionFailed, "precondition_failed", "What is stored is not what If-Match or If-Unmodified-Since ask for.")
	case errors.Is(err, source.ErrNotFound):
		return newProblem(http.StatusNotFound, "not_found", "There is no such image.")
	case errors.Is(err, source.ErrChanged):
		return tryAgain("source_changed", "The image was replaced while it was read.")
	case errors.Is(err, render.ErrSourceRefused):
		return newProblem(http.StatusNotImplemented, codeUnsupported, "Images of this kind or size are not served here.")
	case errors.As(err, &size):
		p := newProblem(http.StatusBadRequest, "size_exceeds_format", fmt.Sprintf("A %s picture holds at most %d pixels on a side.", size.Format, size.Max))
		p.Parameter = "size"
		return p
	case errors.As(err, &failed):
		return decodeProblem(failed)
	}
	if p, ok := scriptProblem(err); ok {
		return p
	}
	return newProblem(http.StatusInternalServerError, "internal", "The server failed; the log tells more under this request's id.")
}

// refusals are what the codes of admission say to people.
var refusals = map[admission.Code]string{
	admission.CodeExceedsBudget:       "This image at this size needs more memory than the server gives to one request.",
	admission.CodeExceedsTime:         "This image at this size takes longer than the server lets one request take.",
	admission.CodeIngestExceedsBudget: "The source or the body is larger than the server takes in at once.",
	admission.CodeClientRate:          "You have made as many requests as your quota allows for now.",
	admission.CodeClientActive:        "You have as many requests under way as your quota allows.",
	admission.CodeClientPending:       "You have as many requests waiting as your quota allows.",
	admission.CodePressure:            "The server is short of memory; try again soon.",
	admission.CodeDraining:            "The server is shutting down; try again soon.",
}

// refusalProblem is how a request that was not admitted is told so: 413
// where no retry can help, 429 for the client's own quota, 503 for the
// server's state.
func refusalProblem(e *admission.Rejection) problem {
	status := http.StatusServiceUnavailable
	switch e.Code.Kind() {
	case admission.KindNever:
		status = http.StatusRequestEntityTooLarge
	case admission.KindQuota:
		status = http.StatusTooManyRequests
	case admission.KindServer:
	}
	text := refusals[e.Code]
	if text == "" {
		text = "The server is busy; try again soon."
	}
	p := newProblem(status, string(e.Code), text)
	if status != http.StatusRequestEntityTooLarge {
		p.RetryAfter = max(1, int((e.RetryAfter+time.Second-1)/time.Second))
	}
	return p
}

func decodeProblem(e *plan.Failure) problem {
	switch e.Kind {
	case plan.Unsupported:
		return newProblem(http.StatusNotImplemented, codeUnsupported, "The server cannot read images of this kind.")
	case plan.Corrupt:
		return newProblem(http.StatusInternalServerError, "source_corrupt", "The stored image is damaged or cut off.")
	case plan.TooLarge:
		p := newProblem(http.StatusBadRequest, "size_exceeds_format", "The size is larger than this format can hold.")
		p.Parameter = "size"
		return p
	case plan.Killed:
		return tryAgain("cancelled", "The work was cancelled.")
	default:
		return newProblem(http.StatusInternalServerError, "internal", "The server failed; the log tells more under this request's id.")
	}
}

// write sends the problem. Errors are never stored by caches.
func (p problem) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, name := range []string{"ETag", "Last-Modified", "Content-Disposition", "Content-Length", "Content-Encoding"} {
		h.Del(name)
	}
	p.RequestID = requestID(r)
	body, err := json.Marshal(p)
	if err != nil {
		http.Error(w, p.Title, p.Status)
		return
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110, 15.5.2
	}
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // The client may be gone; there is nobody to tell.
	}
}
