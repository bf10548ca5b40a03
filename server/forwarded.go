package server

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
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

// validHost keeps what is no host, with or without a port, out of ids and
// links: markup, paths, escapes, anything beyond ASCII.
func validHost(h string) bool {
	name, port := h, ""
	if at := strings.LastIndexByte(h, ':'); at > strings.LastIndexByte(h, ']') {
		name, port = h[:at], h[at+1:]
		if !validPort(port) {
			return false
		}
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && strings.HasSuffix(inner, "]") && a.Is6() && a.Zone() == ""
	}
	return len(name) <= 253 && hostName.MatchString(name)
}

// hostName is a DNS name or an IPv4 address; underscores occur in names of
// containers.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$`)

func validPort(p string) bool {
	n, err := strconv.ParseUint(p, 10, 16)
	return err == nil && n > 0
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

// pathPrefix is a path of plain segments, none of them a dot segment.
var pathPrefix = regexp.MustCompile(`^(/[A-Za-z0-9_~@:+-][A-Za-z0-9_.~@:+-]*)+$`)

// cleanPrefix returns a prefix without a slash at its end, empty for one
// that could not stand in an address as it is.
func cleanPrefix(p string) string {
	p = strings.TrimRight(p, "/")
	if len(p) > 255 || !pathPrefix.MatchString(p) {
		return ""
	}
	return p
}
