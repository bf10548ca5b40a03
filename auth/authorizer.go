package auth

import "context"

// Use is what a client wants of an image.
type Use string

// The uses.
const (
	UseImage Use = "image" // pixels
	UseInfo  Use = "info"  // info.json
	UseKnora Use = "knora" // knora.json
	UseFile  Use = "file"  // the original bytes
)

// Request is what an authorizer may base its decision on.
type Request struct {
	Use Use
	// Prefix and Identifier are percent-decoded.
	Prefix, Identifier string
	// Header has the request's header fields under lower-case names, each
	// with all its values. Authorizers read Cookie and Authorization there.
	Header map[string][]string
	// Method, Host, URI (path without query, percent-encoded), ClientIP and
	// Secure describe the HTTP request.
	Method, Host, URI, ClientIP string
	Secure                      bool
}

// First returns the first value of the header field with this lower-case
// name, or "".
func (r Request) First(name string) string {
	if v := r.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Authorizer decides about requests. Authorize is called for every request
// before anything is read or priced; it may block until ctx ends. An error
// means that no decision could be reached: the request fails (500) and is
// never let through.
type Authorizer interface {
	Authorize(ctx context.Context, r Request) (Decision, error)
}

// AllowAll lets every request through unchanged.
type AllowAll struct{}

// Authorize returns Allowed.
func (AllowAll) Authorize(context.Context, Request) (Decision, error) { return Allowed(), nil }

var _ Authorizer = AllowAll{}
