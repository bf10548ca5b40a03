package docroot

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"example.com/iiifd/option"
)

// Config is where the static tree lies and where it is served.
type Config struct {
	// Docroot is the directory to serve; empty serves none.
	Docroot string
	// Route is the URL path the tree is served below: "/" or a path without
	// a slash at its end.
	Route string
	// CacheControl is the Cache-Control field of static files; empty sends
	// none.
	CacheControl string
}

// Options declares the settings of the static tree.
func (c *Config) Options(s *option.Set) {
	s.Group("Static files")
	s.Text(&c.Docroot, "docroot", "",
		"Directory of static files, and of .lua and .elua scripts, to serve. Empty serves none.").Alias("SIPI_DOCROOT", nil)
	s.Text(&c.Route, "docroot-route", "/server",
		"URL path that the docroot is served below. At / it replaces the landing page.").Alias("SIPI_WWWROUTE", nil)
	s.Text(&c.CacheControl, "docroot-cache-control", "no-cache",
		"Cache-Control field of static files. The default lets caches keep a file and ask whether it has changed. Empty sends none.")
}

// Validate checks what can be checked without looking at the disk; all that
// is wrong is reported at once.
func (c *Config) Validate() error {
	var errs []error
	if err := checkRoute(c.Route); err != nil {
		errs = append(errs, fmt.Errorf("docroot-route: %w", err))
	}
	if strings.ContainsAny(c.CacheControl, "\r\n\x00") {
		errs = append(errs, errors.New("docroot-cache-control: must be one line"))
	}
	return errors.Join(errs...)
}

// checkRoute accepts "/" and absolute paths whose segments need no escaping,
// so that a route has exactly one spelling.
func checkRoute(route string) error {
	if route == "/" {
		return nil
	}
	segments, ok := strings.CutPrefix(route, "/")
	if !ok {
		return fmt.Errorf("%q does not begin with /", route)
	}
	for segment := range strings.SplitSeq(segments, "/") {
		if segment == "" || segment == "." || segment == ".." || url.PathEscape(segment) != segment {
			return fmt.Errorf("%q is not a plain path such as /server, without a slash at its end", route)
		}
	}
	return nil
}
