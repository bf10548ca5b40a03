package server

import (
	"net/http"
	"strings"

	"example.com/iiifd/admission"
)

// client returns the request's fairness key and the name of its API key, if
// it has a valid one. Headers that are not validated influence neither.
func (s *Server) client(r *http.Request) (key, identity string) {
	c := s.deps.Admission
	if c == nil {
		return "", ""
	}
	secret := r.Header.Get("X-API-Key")
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); secret == "" && ok && strings.EqualFold(scheme, "Bearer") {
		secret = strings.TrimSpace(token)
	}
	if secret != "" {
		identity, _ = c.APIKeys().Identify(secret)
	}
	who := admission.Client{APIKey: identity, Remote: r.RemoteAddr, Forwarded: r.Header["X-Forwarded-For"]}
	own := connectionOf(r)
	if own == nil || identity != "" || len(who.Forwarded) > 0 {
		return c.Keyer().Key(who), identity
	}
	known := own.key.Load()
	if known == nil || known.by != c.Keyer() {
		known = &addressKey{by: c.Keyer(), key: c.Keyer().Key(who)}
		own.key.Store(known)
	}
	return known.key, ""
}

// addressKey is the fairness key of an address.
type addressKey struct {
	by  *admission.Keyer
	key string
}
