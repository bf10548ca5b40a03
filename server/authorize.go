package server

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"example.com/iiifd/auth"
	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
)

// uses are what requests want of an image.
var uses = map[iiif.Kind]auth.Use{
	iiif.KindInfo: auth.UseInfo, iiif.KindFile: auth.UseFile, iiif.KindKnora: auth.UseKnora, iiif.KindImage: auth.UseImage,
}

// refusal is a decision against a request.
type refusal struct{ decision auth.Decision }

func (e *refusal) Error() string { return "server: access refused: " + string(e.decision.Kind) }

// authorize asks who may see the image before anything else is done for it.
// Its verdict holds for pixels, info.json, knora.json and file alike. It
// returns true where the request was answered.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request, t *target) (answered bool, err error) {
	span := render.Stage(r.Context(), s.tracing, render.StageAuthorize)
	defer func() {
		if denied, ok := errors.AsType[*refusal](err); ok { // An answer, and no failure of the stage.
			span.SetAttributes(render.AttributeCode.String(refusedProblem(denied).Code))
			span.End()
			return
		}
		render.EndStage(span, err)
	}()
	if s.deps.Authorizer == nil {
		return false, nil
	}
	use, ok := uses[t.request.Kind]
	if !ok {
		return false, nil
	}
	t.protected = true
	d, err := s.deps.Authorizer.Authorize(r.Context(), s.authRequest(r, t, use))
	if err != nil {
		return false, err
	}
	x := exchangeOf(r)
	x.facts = append(x.facts, slog.String("policy", string(d.Kind)))
	switch {
	case d.Kind == auth.Respond:
		respond(w, r, d.Response)
		return true, nil
	case d.Granted():
		return false, s.grant(t, d)
	case d.Kind.Interactive() && use == auth.UseInfo && d.Service != nil:
		if err := s.grant(t, auth.Decision{Kind: auth.Allow, Path: d.Path}); err != nil {
			return false, err
		}
		return true, s.serviceInfo(w, r, *t, d)
	}
	return false, &refusal{d}
}

func (s *Server) authRequest(r *http.Request, t *target, use auth.Use) auth.Request {
	c := s.caller(r)
	return auth.Request{
		Use: use, Prefix: strings.TrimPrefix(t.mount.Path, "/"), Identifier: t.request.Identifier,
		Header: lowerHeader(r.Header), Method: r.Method, URI: r.URL.EscapedPath(),
		Host: c.host, ClientIP: c.address, Secure: c.secure,
	}
}

// caller is who asks, as far as trusted proxies tell.
type caller struct {
	address, host string
	secure        bool
}

func (s *Server) caller(r *http.Request) caller {
	base := s.settings().proxies.baseURL(r, "")
	scheme, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	c := caller{host: host, secure: scheme == "https", address: peer(r).String()}
	if s.deps.Admission != nil {
		if a, ok := s.deps.Admission.Keyer().Address(r.RemoteAddr, r.Header.Values("X-Forwarded-For")); ok {
			c.address = a.String()
		}
	}
	return c
}

func lowerHeader(h http.Header) map[string][]string {
	out := make(map[string][]string, len(h))
	for name, values := range h {
		out[strings.ToLower(name)] = values
	}
	return out
}

// grant turns the request's target to what the decision shows.
func (s *Server) grant(t *target, d auth.Decision) error {
	shown, err := Show(s.deps.Roots, t.mount, t.request.Identifier, d)
	if err != nil {
		return err
	}
	t.moved, t.identifier, t.policy, t.restriction = shown.Source, shown.Identifier, shown.Policy, shown.Restriction
	return nil
}

// cacheControl is the configured one, but for answers that depend on who
// asks.
func (s *Server) cacheControl(t target, configured string) string {
	if t.protected {
		return s.settings().ProtectedCacheControl
	}
	return configured
}

// serviceInfo answers info.json for who has yet to gain access: 401 with the
// services of the IIIF Authentication API 1.0 (3.1.2).
func (s *Server) serviceInfo(w http.ResponseWriter, r *http.Request, t target, d auth.Decision) error {
	block, err := json.Marshal(d.Service.Block(d.Kind))
	if err != nil {
		return err
	}
	t.services, t.status = []json.RawMessage{block}, http.StatusUnauthorized
	exchangeOf(r).code = "access_denied"
	w.Header().Set("WWW-Authenticate", "Bearer")
	return s.info(w, r, t)
}

// respond sends what a hook answers itself.
func respond(w http.ResponseWriter, r *http.Request, a *auth.Response) {
	h := w.Header()
	copyHeader(h, a.Header)
	h.Set("Cache-Control", noStore(h.Get("Cache-Control")))
	w.WriteHeader(scriptStatus(a.Status))
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.Body) // The client may be gone; there is nobody to tell.
	}
}

func refusedProblem(e *refusal) problem {
	status := e.decision.Status
	if status != http.StatusForbidden {
		status = http.StatusUnauthorized
	}
	return newProblem(status, "access_denied", "You may not see this image.")
}
