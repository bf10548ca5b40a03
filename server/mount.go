package server

import (
	"errors"
	"fmt"
	"strings"

	"example.com/iiifd/iiif"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// Mount serves one source under one path in one version of the Image API.
type Mount struct {
	// Path is the path below which identifiers stand, "/iiif/3".
	Path string
	// Public is the path that clients see where a proxy maps another one
	// onto Path; empty for Path itself.
	Public  string
	Version iiif.Version
	Source  source.Source
	// Scope names the source in the cache and in purges; empty for the
	// served directory.
	Scope string
}

// reserved are the first path elements that mounts must not take.
var reserved = []string{"/viewer", "/livez", "/readyz", "/healthz", "/robots.txt", "/favicon.ico"}

// subject is an image of the mount by its decoded identifier.
func (m Mount) subject(identifier string) render.Subject {
	return render.Subject{Source: m.Source, Identifier: identifier, Scope: m.Scope}
}

// publicPath returns the path that stands in ids, links and redirects.
func (m Mount) publicPath() string {
	if m.Public != "" {
		return m.Public
	}
	return m.Path
}

// CheckMounts finds paths that are not clean, taken twice, inside one
// another or reserved.
func CheckMounts(mounts []Mount) error {
	var errs []error
	for i, m := range mounts {
		errs = append(errs, checkMountPath("path", m.Path), checkMountPath("public", m.publicPath()))
		if m.Version != iiif.V2 && m.Version != iiif.V3 {
			errs = append(errs, fmt.Errorf("mount %s: version must be 2 or 3", m.Path))
		}
		for _, other := range mounts[:i] {
			if m.Path == other.Path {
				errs = append(errs, fmt.Errorf("mount %s: the path is mounted twice", m.Path))
			} else if below(m.Path, other.Path) || below(other.Path, m.Path) {
				errs = append(errs, fmt.Errorf("mount %s: one of it and %s hides the other", m.Path, other.Path))
			}
		}
		if r := reservedBy(m.Path); r != "" {
			errs = append(errs, fmt.Errorf("mount %s: %s is the server's own", m.Path, r))
		}
	}
	return errors.Join(errs...)
}

func checkMountPath(what, p string) error {
	if !strings.HasPrefix(p, "/") || p == "/" || strings.HasSuffix(p, "/") || strings.Contains(p, "//") || strings.ContainsAny(p, "?#%{}* ") {
		return fmt.Errorf("mount %s: %s must look like /iiif/3", p, what)
	}
	return nil
}

// reservedBy returns the path of the server's own that a path is or lies
// below; "" for none.
func reservedBy(p string) string {
	for _, r := range reserved {
		if p == r || below(p, r) {
			return r
		}
	}
	return ""
}

func below(p, parent string) bool { return strings.HasPrefix(p, parent+"/") }
