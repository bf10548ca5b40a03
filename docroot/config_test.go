package docroot

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/option"
)

func TestOptionDefaults(t *testing.T) {
	var c Config
	set := option.NewSet()
	c.Options(set)
	if c != (Config{Route: "/server", CacheControl: "no-cache"}) {
		t.Errorf("defaults are %+v", c)
	}
	for _, env := range []string{"IIIFD_DOCROOT", "IIIFD_DOCROOT_ROUTE", "IIIFD_DOCROOT_CACHE_CONTROL"} {
		found := false
		for _, o := range set.All() {
			found = found || o.Env() == env
		}
		if !found {
			t.Errorf("%s is not declared", env)
		}
	}
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func TestValidate(t *testing.T) {
	for _, route := range []string{"/", "/server", "/a/b"} {
		if err := (&Config{Route: route}).Validate(); err != nil {
			t.Errorf("%q: %v", route, err)
		}
	}
	for _, route := range []string{"", "server", "/server/", "//", "/a//b", "/..", "/a/./b", "/a b", "/a?b", "/a%20b"} {
		if (&Config{Route: route}).Validate() == nil {
			t.Errorf("%q is accepted", route)
		}
	}
	err := (&Config{Route: "x", CacheControl: "a\nb"}).Validate()
	if err == nil || !strings.Contains(err.Error(), "docroot-route") || !strings.Contains(err.Error(), "docroot-cache-control") {
		t.Errorf("not all faults are named: %v", err)
	}
}

func TestNewFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "x")
	for _, docroot := range []string{filepath.Join(dir, "absent"), file} {
		if _, err := New(Config{Docroot: docroot, Route: "/"}); err == nil {
			t.Errorf("%s is accepted", docroot)
		}
	}
	if _, err := New(Config{Docroot: dir, Route: "x"}); err == nil {
		t.Error("a bad route is accepted")
	}
}
