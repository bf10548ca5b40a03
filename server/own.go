package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"example.com/iiifd/docroot"
	"example.com/iiifd/iiif"
	"example.com/iiifd/lua"
)

// checkRoutes finds Lua routes, and a docroot's route, that nobody would ever
// reach because the path is the server's or a mount's, or that are equal.
func checkRoutes(d Deps) error {
	var errs []error
	check := func(what, path string) {
		if r := reservedBy(path); r != "" {
			errs = append(errs, fmt.Errorf("%s: %s is the server's own", what, r))
		}
		for _, m := range d.Mounts {
			if path == m.Path || below(path, m.Path) {
				errs = append(errs, fmt.Errorf("%s: %s is a mount", what, m.Path))
			}
		}
	}
	static := ""
	if d.Docroot != nil && d.Docroot.Enabled() {
		static = d.Docroot.Route()
		check("docroot-route "+static, static)
	}
	for _, r := range d.routes() {
		path := routePath(r)
		check("route "+r.Method+" "+path, path)
		if path == static {
			errs = append(errs, fmt.Errorf("route %s %s: docroot-route is the same", r.Method, path))
		}
	}
	return errors.Join(errs...)
}

// routes are the Lua routes, none without scripts.
func (d *Deps) routes() lua.Routes {
	if d.Scripts == nil {
		return nil
	}
	return d.Scripts.Routes()
}

// routePath is a route's path without a slash at its end, "/" for the top.
func routePath(r lua.Route) string {
	if p := strings.TrimSuffix(r.Path, "/"); p != "" {
		return p
	}
	return "/"
}

// ownsRoot tells whether "/" belongs to the operator's docroot or routes, and
// not to the landing page.
func (s *Server) ownsRoot() bool {
	if d := s.deps.Docroot; d != nil && d.Enabled() && d.Route() == "/" {
		return true
	}
	for _, r := range s.deps.routes() {
		if routePath(r) == "/" {
			return true
		}
	}
	return false
}

// inDocroot tells whether the docroot's route covers a path.
func (s *Server) inDocroot(path string) bool {
	d := s.deps.Docroot
	return d != nil && d.Enabled() && (d.Route() == "/" || path == d.Route() || below(path, d.Route()))
}

// scriptMethods are those that a script below the docroot may answer.
var scriptMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

// methods names what the operator's own part of a path answers; nil where
// the path is not theirs.
func (s *Server) methods(r *http.Request) []string {
	if reservedBy(r.URL.Path) != "" {
		return nil
	}
	for _, m := range s.deps.Mounts {
		if strings.HasPrefix(r.URL.EscapedPath(), m.Path+"/") {
			return nil
		}
	}
	if _, _, allowed := s.deps.routes().Match(r.Method, r.URL.Path); len(allowed) > 0 {
		return allowed
	}
	if s.inDocroot(r.URL.Path) {
		if _, kind := s.deps.Docroot.Lookup(r.URL.EscapedPath()); kind == docroot.KindLua || kind == docroot.KindElua {
			return scriptMethods
		}
	}
	return nil
}

// own answers what is neither the server's nor a mount's: Lua routes and the
// docroot, the longer path of both first.
func (s *Server) own(w http.ResponseWriter, r *http.Request) error {
	if strings.ContainsRune(r.URL.Path, 0) {
		return &iiif.Error{Status: http.StatusBadRequest, Code: "path_invalid", Reason: "The path has a character that no path has."}
	}
	route, matched, allowed := s.deps.routes().Match(r.Method, r.URL.Path)
	if s.inDocroot(r.URL.Path) && (len(allowed) == 0 || matched && len(routePath(route)) < len(s.deps.Docroot.Route())) {
		return s.docroot(w, r)
	}
	switch {
	case matched:
		setRoute(r, "script")
		return s.script(w, r, script{file: route.Script, label: route.Method + " " + route.Path})
	case len(allowed) > 0:
		w.Header().Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
		return &iiif.Error{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Reason: "No script answers this method here."}
	}
	return s.nothing(w, r)
}

// docroot answers from the static tree: files as they are, scripts run.
func (s *Server) docroot(w http.ResponseWriter, r *http.Request) error {
	setRoute(r, "docroot")
	file, kind := s.deps.Docroot.Lookup(r.URL.EscapedPath())
	switch kind {
	case docroot.KindLua, docroot.KindElua:
		if s.deps.Scripts == nil {
			return s.nothing(w, r)
		}
		setRoute(r, "script")
		root := strings.TrimSuffix(file.Path(), "/"+file.Name())
		return s.script(w, r, script{file: file.Path(), label: "docroot " + file.Name(), docroot: root})
	case docroot.KindStatic:
		file.ServeHTTP(w, r)
		return nil
	default:
		return s.nothing(w, r)
	}
}
