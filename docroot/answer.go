package docroot

import (
	"encoding/json"
	"net/http"
)

// problem is an error answer as RFC 9457 has it, with a code for programs.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func fail(w http.ResponseWriter, status int, code, detail string) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has left is not an error of ours.
	_ = json.NewEncoder(w).Encode(problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: detail,
	})
}

func notFound(w http.ResponseWriter) {
	fail(w, http.StatusNotFound, "not_found", "There is nothing at this address.")
}

// getOrHead answers every other method with 405 and tells whether to go on.
func getOrHead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	fail(w, http.StatusMethodNotAllowed, "method_not_allowed", "Only GET and HEAD are answered here.")
	return false
}

// relativeRedirect sends a relative Location, which http.Redirect would make
// absolute and so lose a prefix that a proxy has taken off.
func relativeRedirect(w http.ResponseWriter, r *http.Request, location string) {
	if r.URL.RawQuery != "" {
		location += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", location)
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusPermanentRedirect)
}
