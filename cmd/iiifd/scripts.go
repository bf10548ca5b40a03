package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/lua"
	"example.com/iiifd/option"
	"example.com/iiifd/server"
)

// idleWorker is about what a script's process holds that has nothing to do,
// in bytes.
const idleWorker = 4 << 20

// scriptMemory is what one script may hold, 0 where none runs; idle is what
// the processes of scripts hold together when they have nothing to do.
func (c *config) scriptMemory() (limit, idle int64) {
	if !c.scripts() {
		return 0, 0
	}
	scripts, hooks := c.Lua.SlotCounts()
	return c.Lua.MemoryLimit, int64(scripts+hooks) * idleWorker
}

// hookMemory is what one hook may hold, and how many would run at once; 0
// without an init script, the only place where hooks are defined.
func (c *config) hookMemory() (limit int64, slots int) {
	if c.Lua.InitScript == "" {
		return 0, 0
	}
	_, slots = c.Lua.SlotCounts()
	return min(c.Lua.HookMemory, c.Lua.MemoryLimit), slots
}

// openScripts starts the runtime of scripts, where they are configured.
func (s *service) openScripts(ctx context.Context, dir string, reg prometheus.Registerer) error {
	if !s.cfg.scripts() {
		return nil
	}
	var err error
	cfg := s.cfg.Lua
	if s.admission != nil {
		books := s.admission.Books()
		if cfg.Slots == 0 {
			cfg.Slots = books.ScriptSlots
		}
		if books.HookSlots > 0 {
			cfg.HookSlots = books.HookSlots
		}
	}
	if cfg.Facts, err = s.scriptFacts(dir); err != nil {
		return err
	}
	host := &server.ScriptHost{Renderer: s.renderer, Controller: s.admission, Cache: s.cache, Roots: s.roots, Threshold: s.cfg.Admission.Threshold}
	s.scripts, err = lua.New(ctx, cfg, host, s.log, reg)
	return err
}

// addRoots names the directories whose files hooks may have served and
// scripts may open. The served directory comes first: where a path leads into
// it, it is the image of that identifier.
func (s *service) addRoots(dir string) error {
	if err := s.roots.Add(dir, s.main); err != nil {
		return err
	}
	for _, extra := range append([]string{s.tempDir}, s.cfg.Lua.Roots...) {
		d, err := s.openDirectory(extra)
		if err == nil {
			err = s.roots.Add(extra, d)
		}
		if err != nil {
			return fmt.Errorf("lua-roots: %w", err)
		}
	}
	return nil
}

// scriptFacts is the table config of scripts.
func (s *service) scriptFacts(dir string) (lua.SIPIConfig, error) {
	c := s.cfg
	f := lua.SIPIConfig{
		TempDir: s.tempDir, InitScript: c.Lua.InitScript, JPEGQuality: c.Decode.JPEGQuality,
		CacheDir: c.Cache.Dir, CacheBytes: c.Cache.Bytes, CacheFiles: int64(c.Cache.Files), MaxPostSize: c.Server.MaxPostSize,
	}
	host, port, err := net.SplitHostPort(c.Server.Listen)
	if err == nil {
		f.Port, _ = strconv.Atoi(port) // A service's name has no number here.
	}
	if f.Hostname = host; host == "" {
		f.Hostname = "localhost"
	}
	if c.Server.TLSCert != "" {
		f.Port, f.SSLPort = 0, f.Port
	}
	for _, path := range []struct {
		from string
		to   *string
	}{{dir, &f.ImageRoot}, {c.Lua.ScriptDir, &f.ScriptDir}, {c.Docroot.Docroot, &f.Docroot}} {
		if path.from == "" {
			continue
		}
		if *path.to, err = filepath.Abs(path.from); err != nil {
			return f, err
		}
	}
	return f, nil
}

// landing tells whether the landing page is shown. It lists images, so where
// hooks decide who sees which it takes the operator's word.
func (s *service) landing() bool {
	if s.scripts != nil {
		if hook, _ := s.scripts.Hooks(); hook && s.cfg.set.Lookup("landing").Origin == option.OriginDefault {
			return false
		}
	}
	return s.cfg.Server.Landing
}

// addScripts tells the server about scripts, hooks and docroot.
func (s *service) addScripts(d *server.Deps) {
	d.Roots, d.TempDir, d.ScriptMemory = s.roots, s.tempDir, s.cfg.Lua.MemoryLimit
	if s.docroot != nil {
		d.Docroot = s.docroot
	}
	if s.scripts == nil {
		return
	}
	d.Scripts = s.scripts
	if image, file := s.scripts.Hooks(); image || file {
		d.Authorizer = s.scripts
	}
}

// closeScripts ends scripts and what they have used.
func (s *service) closeScripts() error {
	if s.scripts != nil {
		s.scripts.Close()
	}
	if s.docroot != nil {
		_ = s.docroot.Close() // Read only; nothing can be lost.
	}
	if s.tempDir != "" {
		return os.RemoveAll(s.tempDir)
	}
	return nil
}
