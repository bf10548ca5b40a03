package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/option"
)

func TestOptions(t *testing.T) {
	var c Config
	s := option.NewSet()
	c.Options(s)
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	if c.MemoryLimit != 64<<20 || c.Timeout != 5*time.Second || s.Lookup("lua-memory-limit").Env() != "IIIFD_LUA_MEMORY_LIMIT" || s.Lookup("hook-slots").Env() != "IIIFD_HOOK_SLOTS" {
		t.Errorf("defaults %+v", c)
	}
	if scripts, hooks := c.SlotCounts(); scripts < 1 || hooks != 4*scripts {
		t.Errorf("slots %d, %d", scripts, hooks)
	}
	for _, bad := range []func(*Config){
		func(c *Config) { c.HTTPAllow = []string{"localhost"} },
		func(c *Config) { c.InitScript = "none.lua" },
		func(c *Config) { c.ThumbSize = "max" },
		func(c *Config) { c.ThumbSize = "" },
		func(c *Config) { c.JWTKey = "@" + filepath.Join(t.TempDir(), "none") },
		func(c *Config) { c.Routes = []Route{{"GET", "/a", "../a.lua"}} },
		func(c *Config) { c.Routes = []Route{{"GET", "a", "a.lua"}} },
	} {
		other := c
		bad(&other)
		if other.Validate() == nil {
			t.Errorf("accepted: %+v", other)
		}
	}
}

func TestKeyFromFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Config{JWTKey: "@" + file}
	if s, err := c.settings(); err != nil || s.JWTKey != "secret" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestMatch(t *testing.T) {
	rs := Routes{{"GET", "/a", "1"}, {"GET", "/a/b", "2"}, {"POST", "/a", "3"}, {"HEAD", "/a/b", "4"}, {"GET", "/", "5"}}
	for _, c := range []struct{ method, path, script, allowed string }{
		{"GET", "/a", "1", "GET POST"},
		{"GET", "/a/x", "1", "GET POST"},
		{"GET", "/a/b/c", "2", "GET HEAD POST"},
		{"GET", "/ab", "5", "GET"},
		{"POST", "/a/b", "3", "GET HEAD POST"},
		{"HEAD", "/a/b", "4", "GET HEAD POST"},
		{"HEAD", "/a", "1", "GET POST"},
		{"PUT", "/a", "", "GET POST"},
	} {
		r, ok, allowed := rs.Match(c.method, c.path)
		if r.Script != c.script || ok != (c.script != "") || strings.Join(allowed, " ") != c.allowed {
			t.Errorf("%s %s: %+v %v %v", c.method, c.path, r, ok, allowed)
		}
	}
	if CheckRoutes([]Route{{"GET", "/a", "x"}, {"GET", "/a/", "y"}}) == nil {
		t.Error("equal routes are accepted")
	}
}
