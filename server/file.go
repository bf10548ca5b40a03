package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"

	"example.com/iiifd/docroot"
)

// file answers the original's bytes: with ranges and validators, without
// decoding and without a permit, bounded by its own count.
func (s *Server) file(w http.ResponseWriter, r *http.Request, t target) error {
	setRoute(r, "file")
	obj, err := t.moved.Open(r.Context(), t.identifier)
	if err != nil {
		return err
	}
	defer obj.Close()
	info := obj.Info()
	h := w.Header()
	tag := info.Version
	if t.policy != "" {
		tag += "-" + t.policy
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Cache-Control", s.cacheControl(t, s.settings().FileCacheControl))
	if t.protected {
		// A date does not tell which file it was.
		r.Header.Del("If-Modified-Since")
		r.Header.Del("If-Unmodified-Since")
	}
	h.Set("Content-Type", fileType(info.Name))
	// A stored SVG or HTML file must not run as a page of this server.
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	if r.URL.Query().Has("download") {
		name := fileName(r.URL.Query().Get("download"))
		if name == "" {
			name = fileName(info.Name)
		}
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	if r.Method == http.MethodGet {
		select {
		case s.streams <- struct{}{}:
			s.metrics.streams.Inc()
			defer func() { <-s.streams; s.metrics.streams.Dec() }()
		default:
			p := newProblem(http.StatusServiceUnavailable, "file_streams_exhausted", "Too many original files are being sent; try again.")
			p.RetryAfter = 2
			exchangeOf(r).code = p.Code
			p.write(w, r)
			return nil
		}
	}
	docroot.CleanRange(r, info.Size)
	body := &checked{ReadSeeker: io.NewSectionReader(obj, 0, info.Size), verify: obj.Verify}
	ranged := &rangeWriter{ResponseWriter: w}
	http.ServeContent(ranged, r, "", info.ModTime, body)
	if ranged.failed {
		return errPrecondition
	}
	if ranged.unsatisfied {
		p := newProblem(http.StatusRequestedRangeNotSatisfiable, "range_not_satisfiable", "The file has no bytes in that range.")
		exchangeOf(r).code = p.Code
		p.write(w, r)
		return nil
	}
	// ServeContent does not report a failed read, which must not end like a
	// whole answer.
	if body.err != nil {
		return fmt.Errorf("original file: %w", body.err)
	}
	return nil
}

// rangeWriter holds back ServeContent's own 412 and 416, so that they can
// become problems like every other error.
type rangeWriter struct {
	http.ResponseWriter
	failed, unsatisfied bool
}

func (w *rangeWriter) WriteHeader(status int) {
	switch status {
	case http.StatusPreconditionFailed:
		w.failed = true
	case http.StatusRequestedRangeNotSatisfiable:
		w.unsatisfied = true
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.failed || w.unsatisfied {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// checked hands on only bytes of the version that was opened, and remembers
// the error of a read that was not the end. A file that is changed in place
// has its new time before it has new bytes, so looking after each read keeps
// a mixture from being sent to its end.
type checked struct {
	io.ReadSeeker
	verify func() error
	err    error
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	if changed := c.verify(); changed != nil {
		n, err = 0, changed
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// fileTypes are the media types of originals that mime.TypeByExtension may
// not know; it depends on the machine.
var fileTypes = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".tif": "image/tiff", ".tiff": "image/tiff",
	".jp2": "image/jp2", ".jpx": "image/jpx", ".j2k": "image/j2k", ".webp": "image/webp", ".gif": "image/gif",
	".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif", ".jxl": "image/jxl", ".pdf": "application/pdf",
	".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain; charset=utf-8", ".xml": "application/xml",
}

func fileType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if t := fileTypes[ext]; t != "" {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}
