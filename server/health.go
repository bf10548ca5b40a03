package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// routeHealth is the route of probes, in metrics and in the access log.
const routeHealth = "health"

// live answers whether the process is alive.
func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
	setRoute(r, routeHealth)
	return plain(w, "ok\n")
}

// ready answers whether the server should get requests: it can do its work
// and is not draining. Being busy does not make it unready, as taking a busy
// replica out only moves its load to the others.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	setRoute(r, routeHealth)
	p := newProblem(http.StatusServiceUnavailable, "draining", "The server is shutting down.")
	if !s.draining.Load() {
		err := s.deps.Ready(r.Context())
		if err == nil {
			return plain(w, "ok\n")
		}
		exchangeOf(r).cause = err
		p = newProblem(http.StatusServiceUnavailable, "not_ready", "The server cannot do its work now.")
	}
	exchangeOf(r).code = p.Code
	p.RetryAfter = 5
	p.write(w, r)
	return nil
}

// robots asks crawlers to leave whole images alone.
func (s *Server) robots(w http.ResponseWriter, r *http.Request) error {
	setRoute(r, "robots")
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, m := range s.deps.Mounts {
		fmt.Fprintf(&b, "Disallow: %s/*/full/max/\n", m.publicPath())
		fmt.Fprintf(&b, "Disallow: %s/*/full/full/\n", m.publicPath())
		fmt.Fprintf(&b, "Disallow: %s/*/file\n", m.publicPath())
	}
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return plain(w, b.String())
}

func plain(w http.ResponseWriter, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	_, err := io.WriteString(w, text)
	return err
}
