package server

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"example.com/iiifd/iiif"
)

// info answers info.json.
func (s *Server) info(w http.ResponseWriter, r *http.Request, t target) error {
	setRoute(r, "info")
	doc, err := s.deps.Renderer.Info(r.Context(), t.subject(), t.id, t.restriction.Size)
	if err != nil {
		return err
	}
	doc.Info.Services = append(doc.Info.Services, t.services...)
	body, err := doc.Info.Document(t.request.Version)
	if err != nil {
		return err
	}
	contentType := iiif.NegotiateInfo(r.Header.Get("Accept"), t.request.Version)
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", s.cacheControl(t, s.settings().InfoCacheControl))
	if t.request.Version == iiif.V3 {
		h.Add("Link", profileLink(t.request.Version))
	}
	if t.status != http.StatusOK {
		h.Set("Cache-Control", "no-store")
		return writeDocument(w, r, t.status, body)
	}
	return answerDocument(w, r, body, doc.Source.ModTime.UTC().Format(http.TimeFormat))
}

// answerDocument sends a small document with a tag made of its type and
// bytes. Documents depend on the configuration too, so If-Modified-Since
// alone decides nothing.
func answerDocument(w http.ResponseWriter, r *http.Request, body []byte, lastModified string) error {
	h := w.Header()
	sum := sha256.Sum256(append([]byte(h.Get("Content-Type")+"\n"), body...))
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	h.Set("ETag", etag)
	h.Set("Last-Modified", lastModified)
	if failedCondition(r, etag, time.Time{}) {
		return errPrecondition
	}
	if values := r.Header.Values("If-None-Match"); len(values) > 0 && notModified(r, etag, time.Time{}) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return writeDocument(w, r, http.StatusOK, body)
}

func writeDocument(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(body)
	return err
}
