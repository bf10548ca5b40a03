package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
)

// Kind is the kind of a decision.
type Kind string

// The kinds. Login, Clickthrough, Kiosk and External are the four
// interaction patterns of the IIIF Authentication API 1.0.
const (
	Allow        Kind = "allow"
	Deny         Kind = "deny"
	Restrict     Kind = "restrict"
	Login        Kind = "login"
	Clickthrough Kind = "clickthrough"
	Kiosk        Kind = "kiosk"
	External     Kind = "external"
	// Respond means that the authorizer answers the request itself.
	Respond Kind = "respond"
)

// ParseKind reads a permission word as scripts give it. Respond is none.
func ParseKind(word string) (Kind, error) {
	switch k := Kind(word); k {
	case Allow, Deny, Restrict, Login, Clickthrough, Kiosk, External:
		return k, nil
	default:
		return "", fmt.Errorf("auth: %q is not a permission", word)
	}
}

// Interactive tells whether the client may gain access by the service of
// the IIIF Authentication API 1.0.
func (k Kind) Interactive() bool {
	return k == Login || k == Clickthrough || k == Kiosk || k == External
}

// Decision is an authorizer's answer. The zero value denies.
type Decision struct {
	Kind Kind
	// Path, where set, is the file to serve instead of the one that the
	// identifier names. The receiver checks that it may be served.
	Path string
	// Size restricts the size. The image is then shown as if its full size
	// were Size.Of(width, height): info.json, regions, tiles and limits all
	// speak of that smaller image, so that no sequence of requests yields
	// more of the original. Images that are smaller already stay as they are.
	Size Size
	// Watermark is the path of an image laid over the pixels; "" for none.
	Watermark string
	// Service is given with an interactive Kind.
	Service *Service
	// Status is the HTTP status of a refusal: 401 or 403. 0 where granted.
	Status int
	// Response is the answer of Kind Respond.
	Response *Response
}

// Response is an answer that an authorizer gives itself.
type Response struct {
	Status int
	Header map[string][]string
	Body   []byte
}

// Allowed is the decision that lets a request through unchanged.
func Allowed() Decision { return Decision{Kind: Allow} }

// Refused is a denial: 401 where credentials could help, 403 where the
// request carried some already.
func Refused(credentials bool) Decision {
	if credentials {
		return Decision{Kind: Deny, Status: http.StatusForbidden}
	}
	return Decision{Kind: Deny, Status: http.StatusUnauthorized}
}

// Granted tells whether pixels may be served, perhaps restricted.
func (d Decision) Granted() bool { return d.Kind == Allow || d.Kind == Restrict }

// Restricted tells whether what is served differs from the original.
func (d Decision) Restricted() bool {
	return d.Kind == Restrict && (!d.Size.IsZero() || d.Watermark != "")
}

// Policy is a short text that is equal for decisions under which the same
// request yields the same bytes, and different otherwise. It belongs into
// cache keys and ETags. It is "" for an unchanged image and reveals nothing
// of paths. The version of a watermark's file is not part of it.
func (d Decision) Policy() string {
	if d.Kind == Allow && d.Path == "" {
		return ""
	}
	h := sha256.New()
	kind := d.Kind
	if kind == Restrict && !d.Restricted() {
		kind = Allow
	}
	for _, part := range []string{string(kind), d.Path, d.Size.String(), d.Watermark} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
