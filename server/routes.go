package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// routes builds the public router. Paths are matched as they were sent:
// decoding or cleaning them first would turn a%2F..%2Fb into another
// identifier.
func (s *Server) routes() http.Handler {
	r := mux.NewRouter().UseEncodedPath().SkipClean(true)
	r.Handle("/livez", get(s.handle(s.live)))
	r.Handle("/readyz", get(s.handle(s.ready)))
	r.Handle("/healthz", get(s.handle(s.ready)))
	r.Handle("/robots.txt", get(s.handle(s.robots)))
	for _, m := range s.deps.Mounts {
		r.PathPrefix(m.Path + "/").Handler(get(s.handle(s.mount(m))))
	}
	if s.deps.Viewer != nil {
		viewer := get(routed("viewer", s.deps.Viewer))
		if !s.ownsRoot() {
			r.Path("/").Handler(viewer)
		}
		r.Path("/viewer").Handler(viewer)
		r.PathPrefix("/viewer/").Handler(viewer)
	}
	r.NotFoundHandler = s.handle(s.own)
	return r
}

func routed(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setRoute(r, route)
		next.ServeHTTP(w, r)
	})
}

// get lets GET and HEAD through; OPTIONS was answered before.
func get(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD, OPTIONS")
			p := newProblem(http.StatusMethodNotAllowed, "method_not_allowed", "Only GET, HEAD and OPTIONS are answered here.")
			exchangeOf(r).code = p.Code
			p.write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) nothing(http.ResponseWriter, *http.Request) error {
	return &iiif.Error{Status: http.StatusNotFound, Code: "not_found", Reason: "There is nothing at this address."}
}

// mount answers everything below a mount's path.
func (s *Server) mount(m Mount) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		setRoute(r, "unparsed")
		span := render.Stage(r.Context(), s.tracing, render.StageParse)
		req, err := iiif.Parse(strings.TrimPrefix(r.URL.EscapedPath(), m.Path+"/"), m.Version)
		render.EndStage(span, err)
		if err != nil {
			return err
		}
		t := target{mount: m, moved: m.Source, identifier: req.Identifier, status: http.StatusOK, request: req, deadline: exchangeOf(r).deadline, id: s.settings().proxies.baseURL(r, s.settings().BaseURL) + m.publicPath() + "/" + req.RawIdentifier}
		if answered, err := s.authorize(w, r, &t); answered || err != nil {
			return err
		}
		switch req.Kind {
		case iiif.KindBase:
			return s.base(w, r, t)
		case iiif.KindInfo:
			return s.info(w, r, t)
		case iiif.KindFile:
			return s.file(w, r, t)
		case iiif.KindKnora:
			return s.knora(w, r, t)
		default:
			return s.image(w, r, t)
		}
	}
}

// target is a parsed request below a mount.
type target struct {
	mount    Mount
	request  iiif.Request
	deadline time.Time
	// id is the image's public URI, the identifier encoded as it was sent.
	id string

	// protected tells that the answer depends on who asks.
	protected bool
	// moved and identifier are where the image lies that is shown.
	moved      source.Source
	identifier string
	// policy and restriction are how it is shown.
	policy      string
	restriction render.Restriction
	// status and services are those of info.json.
	status   int
	services []json.RawMessage
}

func (t target) subject() render.Subject {
	return render.Subject{Source: t.moved, Identifier: t.identifier, Scope: t.mount.Scope, Object: t.request.Identifier}
}

// base redirects a bare identifier to its info.json (Image API 3.0, 2).
func (s *Server) base(w http.ResponseWriter, r *http.Request, t target) error {
	setRoute(r, "base")
	// Where some may not see some images, whether there is one is nobody's
	// to know.
	if s.deps.Authorizer == nil {
		if _, err := t.mount.Source.Stat(r.Context(), t.request.Identifier); err != nil {
			return err
		}
	}
	w.Header().Set("Location", t.id+"/info.json")
	w.Header().Set("Cache-Control", s.settings().InfoCacheControl)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
