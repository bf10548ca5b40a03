package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/docroot"
	"example.com/iiifd/lua"
	"example.com/iiifd/metrics"
	"example.com/iiifd/option"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

func serveCommand() *command {
	return &command{
		name: "serve", usage: "[DIRECTORY]", summary: "serves the images below a directory (default: this one)",
		long: "It needs no configuration and prints the addresses to open.\n" +
			"SIGHUP reads the configuration again, all or nothing; SIGTERM lets running requests end.",
		run:     runServe,
		options: func() *option.Set { return newConfig().set },
	}
}

// service is a running server with all its parts.
type service struct {
	cfg       *config
	log       *slog.Logger
	level     slog.LevelVar
	engine    *decode.Engine
	cache     *cache.Cache
	egress    egress
	admission *admission.Controller
	renderer  *render.Renderer
	prefetch  *render.Prefetcher
	warmer    *render.Warmer
	handles   *source.Pool
	server    *server.Server
	operator  *server.Operator
	telemetry *metrics.Telemetry
	metrics   *programMetrics
	sources   *source.Metrics
	dirs      []*source.Directory
	main      source.Source
	roots     *source.Roots
	scripts   *lua.Runtime
	docroot   *docroot.Root
	tempDir   string
	pace      *pace
	janitor   *janitor
	// socket and operatorSocket are bound before all else.
	socket, operatorSocket net.Listener
	// rehearsal tells that the parts are made to see whether they can be. No
	// directory of the cache is opened then, which a running server may have,
	// and bookedDisk is what it would take of memory.
	rehearsal  bool
	bookedDisk int64
}

func runServe(ctx context.Context, p *program, args []string) error {
	cfg, rest, err := loadConfig(args, p.environ)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return usagef("takes one DIRECTORY")
	}
	dir := "."
	if len(rest) == 1 {
		dir = rest[0]
	}
	s, err := startService(ctx, p, cfg, dir)
	if err != nil {
		return err
	}
	s.announce(p, dir)
	for {
		select {
		case <-p.reload:
			s.reload(args, p.environ)
		case err := <-s.server.Failed():
			return errors.Join(err, s.close(ctx))
		case err := <-s.operatorFailed():
			return errors.Join(err, s.close(ctx))
		case <-ctx.Done():
			s.log.InfoContext(ctx, "shutting down", "drain_timeout", cfg.Server.DrainTimeout.String())
			return s.close(ctx)
		}
	}
}

// operatorFailed delivers the error that ended the operator listener; never
// where there is none.
func (s *service) operatorFailed() <-chan error {
	if s.operator == nil {
		return nil
	}
	return s.operator.Failed()
}

// startService builds every part and opens the listeners.
func startService(ctx context.Context, p *program, cfg *config, dir string) (*service, error) {
	s := &service{cfg: cfg}
	s.log = newLogger(p.stderr, cfg.Log, &s.level)
	for _, w := range cfg.Warnings {
		s.log.WarnContext(ctx, "configuration", "key", w.Key, "reason", w.Reason)
	}
	err := s.assemble(ctx, dir)
	if err == nil {
		err = s.open(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// open serves on both listeners.
func (s *service) open(ctx context.Context) error {
	if s.operatorSocket != nil {
		var err error
		s.operator, err = server.OpenOperator(ctx, s.cfg.Operator, server.OperatorDeps{
			Admission: s.admission, Cache: s.cache, Metrics: s.telemetry.Handler(), Public: s.server, Log: s.log,
			Warmer: s.warmer, Listener: s.operatorSocket,
		})
		if err != nil {
			return err
		}
	}
	return s.server.Open(ctx)
}

// ready tells whether the parts can do their work.
func (s *service) ready(context.Context) error {
	if after := s.cfg.Operator.ReadyCriticalAfter; after > 0 {
		if severity, since := s.admission.PressureSince(); severity == admission.SeverityCritical && since >= after {
			return fmt.Errorf("memory pressure has been critical for %v", since)
		}
	}
	return nil
}

// announce prints where the server can be reached.
func (s *service) announce(p *program, dir string) {
	_, port, err := net.SplitHostPort(s.server.Address().String())
	if err != nil {
		return
	}
	base := localURL(net.JoinHostPort("", port), s.cfg.Server.TLSCert != "")
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	fmt.Fprintf(p.stdout, "iiifd %s serves %s\n\n", version, abs)
	if s.landing() {
		fmt.Fprintf(p.stdout, "  browse     %s/\n", base)
	}
	fmt.Fprintf(p.stdout, "  IIIF 3.0   %s/iiif/3/{identifier}/info.json\n  IIIF 2.1   %s/iiif/2/{identifier}/info.json\n\n", base, base)
}

// reload reads the configuration again. On any error the old one stays
// whole.
func (s *service) reload(args, environ []string) {
	next, _, err := loadConfig(args, environ)
	if err != nil {
		s.log.Error("configuration not reloaded; the old one stays", "error", err.Error())
		return
	}
	for _, o := range next.set.All() {
		if old := s.cfg.set.Lookup(o.Name); !o.Reloadable && old.Value() != o.Value() {
			s.log.Warn("this change needs a restart", "option", o.Name, "value", o.Value(), "still", old.Value())
		}
	}
	if !slices.Equal(next.Lua.Routes, s.cfg.Lua.Routes) {
		s.log.Warn("this change needs a restart", "option", "route")
	}
	if err := s.server.Reload(next.Server); err != nil {
		s.log.Error("configuration not reloaded; the old one stays", "error", err.Error())
		return
	}
	if err := s.renderer.Reload(next.Render); err != nil { // Validated by loadConfig; kept as a guard.
		s.log.Error("configuration only partly reloaded", "error", err.Error())
		return
	}
	s.metrics.count(next.Warnings)
	setLevel(&s.level, next.Log.Level)
	s.cfg = next
	s.log.Info("configuration reloaded")
}
