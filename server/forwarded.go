package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// proxies are the networks whose X-Forwarded-* headers are believed.
type proxies []netip.Prefix

func (p proxies) trusts(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}

// peer returns the address of the other end of the connection.
func peer(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}

// baseURL returns the public address under which the client reached the
// server, without a slash at its end: the configured one, else what a
// trusted proxy says, else the request's own host.
func (p proxies) baseURL(r *http.Request, configured string) string {
	if configured != "" {
		return strings.TrimRight(configured, "/")
	}
	scheme, host, prefix := "http", r.Host, ""
	if r.TLS != nil {
		scheme = "https"
	}
	if p.trusts(peer(r)) {
		if s := strings.ToLower(firstValue(r.Header, "X-Forwarded-Proto")); s == "http" || s == "https" {
			scheme = s
		}
		if h := firstValue(r.Header, "X-Forwarded-Host"); validHost(h) {
			host = h
		}
		if port := firstValue(r.Header, "X-Forwarded-Port"); validPort(port) {
			host = withPort(host, port, scheme)
		}
		prefix = cleanPrefix(firstValue(r.Header, "X-Forwarded-Prefix"))
	}
	if !validHost(host) {
		host = "localhost"
	}
	return scheme + "://" + host + prefix
}

// firstValue returns the first element of a comma-separated header: the one
// that the outermost proxy wrote.
func firstValue(h http.Header, name string) string {
	first, _, _ := strings.Cut(h.Get(name), ",")
	return strings.TrimSpace(first)
}

// validHost keeps markup and header breaks out of what is echoed in ids and
// links.
func validHost(h string) bool {
	if h == "" || len(h) > 255 || strings.ContainsAny(h, "/\\?#@<>\"'` ") {
		return false
	}
	u, err := url.Parse("http://" + h)
	return err == nil && u.Host == h && u.Hostname() != ""
}

func validPort(p string) bool {
	return p != "" && len(p) <= 5 && strings.Trim(p, "0123456789") == ""
}

func withPort(host, port, scheme string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
	}
	if (scheme == "http" && port == "80") || (scheme == "https" && port == "443") {
		return host
	}
	return host + ":" + port
}

func cleanPrefix(p string) string {
	p = strings.TrimRight(p, "/")
	if p == "" || !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") || strings.ContainsAny(p, "?#<>\"' \\") {
		return ""
	}
	return p
}
