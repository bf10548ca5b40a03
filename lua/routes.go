package lua

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Route runs a script for a path and everything below it.
type Route struct {
	Method string `toml:"method"`
	// Path begins with a slash and is matched against the decoded path.
	Path string `toml:"route"`
	// Script is relative to the script directory.
	Script string `toml:"script"`
}

// routeMethods are the methods that a route may name; the last two are
// accepted for SIPI's sake and never match.
var routeMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions,
	http.MethodConnect, "OTHER",
}

func (r Route) validate() error {
	if !slices.Contains(routeMethods, r.Method) {
		return fmt.Errorf("lua: route %s: unknown method %q", r.Path, r.Method)
	}
	if !strings.HasPrefix(r.Path, "/") || strings.Contains(r.Path, "//") {
		return fmt.Errorf("lua: route %q must begin with one slash", r.Path)
	}
	if r.Script == "" || strings.Contains("/"+r.Script+"/", "/../") {
		return fmt.Errorf("lua: route %s: script %q does not lie in the script directory", r.Path, r.Script)
	}
	return nil
}

// Routes is a list of routes.
type Routes []Route

// CheckRoutes refuses invalid routes and two of the same method and path.
func CheckRoutes(routes []Route) error {
	seen := map[string]bool{}
	for _, r := range routes {
		if err := r.validate(); err != nil {
			return err
		}
		key := r.Method + " " + strings.TrimSuffix(r.Path, "/")
		if seen[key] {
			return fmt.Errorf("lua: route %s is given twice", key)
		}
		seen[key] = true
	}
	return nil
}

// Match returns the route with the longest path that covers path. HEAD falls
// back to GET. allowed are the methods of all routes that cover path.
func (rs Routes) Match(method, path string) (route Route, ok bool, allowed []string) {
	best := -1
	for _, r := range rs {
		base := strings.TrimSuffix(r.Path, "/")
		if path != base && !strings.HasPrefix(path, base+"/") {
			continue
		}
		allowed = append(allowed, r.Method)
		exact := r.Method == method
		if !exact && (method != http.MethodHead || r.Method != http.MethodGet) {
			continue
		}
		rank := 2 * len(base)
		if exact {
			rank++
		}
		if rank > best {
			route, ok, best = r, true, rank
		}
	}
	slices.Sort(allowed)
	return route, ok, slices.Compact(allowed)
}
