package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/docroot"
	"example.com/iiifd/iiif"
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
			return errors.Join(err, s.close())
		case err := <-s.operatorFailed():
			return errors.Join(err, s.close())
		case <-ctx.Done():
			s.log.Info("shutting down", "drain_timeout", cfg.Server.DrainTimeout.String())
			return s.close()
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

// startService builds every part and opens the listener.
func startService(ctx context.Context, p *program, cfg *config, dir string) (*service, error) {
	s := &service{cfg: cfg}
	s.log = newLogger(p.stderr, cfg.Log, &s.level)
	for _, w := range cfg.Warnings {
		s.log.Warn("configuration", "key", w.Key, "reason", w.Reason)
	}
	var err error
	if s.telemetry, err = metrics.New(ctx, version, s.log); err != nil {
		return nil, err
	}
	reg := s.telemetry.Registerer()
	s.metrics, s.sources = newProgramMetrics(reg), source.NewMetrics(reg)
	s.metrics.count(cfg.Warnings)
	if s.engine, err = decode.Start(cfg.Decode, s.log, reg); err != nil {
		return nil, err
	}
	if err := s.openCache(reg); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.openAdmission(reg); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.handles = source.NewPool(cfg.Source.OpenFiles)
	s.renderer, err = render.New(cfg.Render, render.Deps{
		Decoder: s.engine, Cache: s.cache, Admission: s.admission, Ledger: s.egress.of, Threshold: cfg.Admission.Threshold,
		Tracer: s.telemetry.Tracer(), Registerer: reg, Handles: s.handles,
	}, s.probes())
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.openBeside()
	mounts, err := s.mounts(dir)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.openScripts(ctx, dir, reg); err != nil {
		return nil, errors.Join(err, s.close())
	}
	var viewer http.Handler
	if s.landing() {
		viewer = docroot.NewViewer(server.NewGallery(s.dirs[0], s.renderer), docroot.ViewerOptions{PageSuffix: ";", FirstPage: 1, Log: s.log})
	}
	deps := server.Deps{
		Renderer: s.renderer, Admission: s.admission, Mounts: mounts, Viewer: viewer, Ready: s.ready,
		Log: s.log, Access: s.log, Registerer: reg, Tracer: s.telemetry.Tracer(), Prefetch: s.prefetch,
	}
	s.addScripts(&deps)
	s.server, err = server.New(cfg.Server, deps)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if !cfg.Operator.Off() {
		s.operator, err = server.OpenOperator(ctx, cfg.Operator, server.OperatorDeps{
			Admission: s.admission, Cache: s.cache, Metrics: s.telemetry.Handler(), Public: s.server, Log: s.log,
			Warmer: s.warmer,
		})
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if err := s.server.Open(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
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

// mounts opens the served directory under /iiif/3 and /iiif/2 and what the
// file adds.
func (s *service) mounts(dir string) ([]server.Mount, error) {
	main, err := s.open(dir)
	if err != nil {
		return nil, err
	}
	s.main = main
	mounts := []server.Mount{
		{Path: "/iiif/3", Version: iiif.V3, Source: main},
		{Path: "/iiif/2", Version: iiif.V2, Source: main},
	}
	for _, m := range s.cfg.Mounts {
		src := main
		if m.Dir != "" {
			sub := m.Dir
			if !filepath.IsAbs(sub) {
				sub = filepath.Join(dir, sub)
			}
			if src, err = s.open(sub); err != nil {
				return nil, fmt.Errorf("mount %s: %w", m.Path, err)
			}
		}
		added := server.Mount{Path: m.Path, Public: m.Public, Version: iiif.Version(m.Version), Source: src}
		replaced := false
		for i, d := range mounts[:2] {
			if d.Path == m.Path {
				mounts[i], replaced = added, true
			}
		}
		if !replaced {
			mounts = append(mounts, added)
		}
	}
	return mounts, nil
}

func (s *service) open(dir string) (source.Source, error) {
	d, err := source.NewDirectory(dir, s.cfg.Source)
	if err != nil {
		return nil, err
	}
	s.dirs = append(s.dirs, d)
	if s.sources == nil {
		return d, nil
	}
	return s.sources.Measured(d), nil
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

// telemetryTimeout bounds the last push.
const telemetryTimeout = 5 * time.Second

// drain refuses what waits for a permit, lets running requests end and then
// waits until their decodes have really stopped, which read from the sources.
//
// idle is false where decodes are still running: libvips stops between two
// pieces of work, and a piece may last.
func (s *service) drain() (idle bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Server.DrainTimeout)
	defer cancel()
	if s.admission != nil {
		s.admission.Drain()
	}
	if s.server == nil {
		return true, nil
	}
	err = s.server.Close(ctx)
	if s.admission != nil && s.admission.Idle(ctx) != nil {
		s.log.Warn("decodes are still running", "count", len(s.admission.Decodes()))
		return false, err
	}
	return true, err
}

// errStuck is returned by close where decodes outlasted the drain time-out.
var errStuck = errors.New("decodes were still running at the end of the drain time-out")

// close ends everything in reverse order. Where decodes are still running it
// closes nothing that they use, since waiting for them could take for ever:
// the end of the process does that, and the cache is made to survive it.
func (s *service) close() error {
	s.pace.stop()
	s.prefetch.Close()
	s.warmer.Close()
	idle, err := s.drain()
	errs := []error{err}
	if s.operator != nil {
		errs = append(errs, s.operator.Close())
	}
	errs = append(errs, s.closeScripts())
	if !idle {
		return errors.Join(append(errs, errStuck)...)
	}
	if s.cache != nil {
		errs = append(errs, s.cache.Close())
	}
	if s.admission != nil {
		s.admission.Close()
	}
	if s.handles != nil {
		errs = append(errs, s.handles.Close())
	}
	for _, d := range s.dirs {
		errs = append(errs, d.Close())
	}
	if s.engine != nil {
		s.engine.Close()
	}
	if s.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), telemetryTimeout)
		defer cancel()
		if err := s.telemetry.Close(ctx); err != nil {
			s.log.Warn("telemetry was not sent", "error", err.Error())
		}
	}
	return errors.Join(errs...)
}
