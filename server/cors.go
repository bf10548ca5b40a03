package server

import (
	"net/http"
	"slices"
	"strings"
)

// Values of headers that every answer has: made once, and never written to.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"Link, Retry-After, ETag, Content-Length, Content-Range, X-Request-Id"}
	noSniff   = []string{"nosniff"}
)

// cors adds the headers that let any page read any answer, errors included
// (Image API 3.0, 7.4), and answers preflight requests. Credentials are
// never allowed, so the origin may be "*". methods names those of a path that
// scripts answer, nil for any other.
func cors(methods func(*http.Request) []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
		h["X-Content-Type-Options"] = noSniff
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		allowed := "GET, HEAD, OPTIONS"
		if own := methods(r); own != nil {
			if slices.Contains(own, http.MethodOptions) {
				next.ServeHTTP(w, r)
				return
			}
			allowed = strings.Join(append(own, http.MethodOptions), ", ")
		}
		h.Set("Allow", allowed)
		h.Set("Access-Control-Allow-Methods", allowed)
		// "*" does not cover Authorization (Fetch, 3.2.3).
		h.Set("Access-Control-Allow-Headers", "Authorization, Accept, Content-Type, If-None-Match, If-Modified-Since, If-Match, If-Unmodified-Since, If-Range, Range, X-API-Key, X-Request-Id, traceparent, tracestate")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	})
}
