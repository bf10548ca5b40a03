package iiif

import (
	"net/url"
	"strings"
)

// SentPath returns a URL's path as it was sent, fit for Parse and for URIs
// that repeat it: every percent-encoding stays as it is, and what RFC 3986
// does not allow in a path, such as a bare ^ or |, is encoded.
//
// URL.EscapedPath does the same only for paths that are valid throughout. One
// character that is not makes it encode the decoded path anew, so that a%2Fb
// becomes a/b.
func SentPath(u *url.URL) string {
	if u.RawPath == "" {
		return u.EscapedPath()
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(u.RawPath))
	for i := range len(u.RawPath) {
		c := u.RawPath[i]
		if plainInSegment(c) || strings.IndexByte("/@%[]", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
