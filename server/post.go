package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"example.com/iiifd/admission"
	"example.com/iiifd/iiif"
	"example.com/iiifd/lua"
)

// formFields bounds the fields of a multipart form, which are held in memory
// beside the files, in bytes.
const formFields = 1 << 20

// errBodyTimeout is the error of a body that did not come in time.
var errBodyTimeout = errors.New("server: body read time-out")

// scriptBody is a request with its body, for a script.
type scriptBody struct {
	request *lua.Request
	// hold is what its body takes of memory, in bytes.
	hold    int64
	release func()
}

// readBody reads the body, for which it has its own time-out, before any
// permit is asked for. What is kept in memory is booked with the ingest ledger as it
// arrives; files go to disk.
func (s *Server) readBody(r *http.Request) (*scriptBody, error) {
	b := &scriptBody{release: func() {}}
	limits := lua.BodyLimits{Max: s.settings().MaxPostSize, Content: max(s.deps.ScriptMemory/4, formFields), TempDir: s.deps.TempDir}
	if r.ContentLength > limits.Max {
		return nil, bodyTooLarge()
	}
	ingest := &ingested{ReadCloser: r.Body}
	if a := s.deps.Admission; a != nil && r.Body != http.NoBody {
		ingest.hold = a.Ingest.Hold(exchangeOf(r).key)
		b.release = ingest.hold.Release
	}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "multipart/form-data" {
		limits.Content = formFields
		ingest.most = formFields
	}
	r.Body = ingest
	request, cleanup, err := lua.ReadRequest(r, limits)
	if err == nil {
		// What may follow a form's last part; the body's time-out, which
		// limitBody has set, ends with the body.
		_, err = io.CopyN(io.Discard, r.Body, formFields)
		if errors.Is(err, io.EOF) {
			err = nil
		} else if err != nil {
			cleanup()
		}
	}
	if err != nil {
		b.release()
		return nil, bodyError(err)
	}
	b.request = request
	if ingest.hold != nil {
		b.hold = ingest.hold.Bytes()
		b.release = func() { cleanup(); ingest.hold.Release() }
	} else {
		b.release = cleanup
	}
	return b, nil
}

// ingested books a body with a ledger as it arrives.
type ingested struct {
	io.ReadCloser
	hold *admission.Hold
	// most is how much of the body is in memory at most; 0 means all.
	most int64
}

func (b *ingested) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.hold == nil || n == 0 {
		return n, err
	}
	grow := int64(n)
	if b.most > 0 {
		grow = min(grow, b.most-b.hold.Bytes())
	}
	if refused := b.hold.Grow(grow); refused != nil {
		return 0, refused
	}
	return n, err
}

func bodyTooLarge() error {
	return &iiif.Error{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Reason: "The body is larger than the server takes."}
}

// bodyError tells whose fault a body that could not be read is.
func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	var refused *admission.Rejection
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &tooLarge):
		return bodyTooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errBodyTimeout
	case errors.Is(err, lua.ErrForm):
		return &iiif.Error{Status: http.StatusBadRequest, Code: "form_invalid", Reason: "The form cannot be read."}
	case errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "connection reset"):
		return gone(err)
	}
	return err
}
