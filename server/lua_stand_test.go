package server_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/iiifd/docroot"
	"example.com/iiifd/lua"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// TestMain lets the test binary be the worker that scripts run in.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == lua.WorkerCommand {
		if err := lua.WorkerMain(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// addScripts gives a server under test scripts and docroot, as "iiifd serve"
// does.
func (st *stand) addScripts(tb testing.TB, p setup, deps *server.Deps, cfg lua.Config, src source.Source, log *slog.Logger) {
	tb.Helper()
	if p.scripts == nil && p.docroot == nil {
		return
	}
	write := func(dir string, files map[string]string) string {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				tb.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				tb.Fatal(err)
			}
		}
		return dir
	}
	deps.Roots = &source.Roots{}
	if err := deps.Roots.Add(p.dir, src); err != nil {
		tb.Fatal(err)
	}
	deps.TempDir, deps.ScriptMemory = tb.TempDir(), cfg.MemoryLimit
	cfg.ScriptDir, cfg.Routes = write(tb.TempDir(), p.scripts), p.routes
	if p.scripts["init.lua"] != "" {
		cfg.InitScript = "init.lua"
	}
	cfg.Facts = lua.SIPIConfig{ImageRoot: p.dir, TempDir: deps.TempDir}
	if cfg.Slots == 0 {
		cfg.Slots = 2
	}
	if p.docroot != nil {
		route := p.docrootRoute
		root, err := docroot.New(docroot.Config{Docroot: write(tb.TempDir(), p.docroot), Route: route})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = root.Close() })
		deps.Docroot = root
	}
	host := &server.ScriptHost{Renderer: deps.Renderer, Controller: st.admission, Cache: st.answers, Roots: deps.Roots, Threshold: 32 << 20}
	runtime, err := lua.New(tb.Context(), cfg, host, log, st.metrics)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(runtime.Close)
	deps.Scripts = runtime
	if image, file := runtime.Hooks(); image || file {
		deps.Authorizer = runtime
	}
}

// routesTo makes a GET and a POST route for each script of that name.
func routesTo(names ...string) []lua.Route {
	var all []lua.Route
	for _, name := range names {
		for _, method := range []string{"GET", "POST"} {
			all = append(all, lua.Route{Method: method, Path: "/" + strings.TrimSuffix(name, ".lua"), Script: name})
		}
	}
	return all
}
