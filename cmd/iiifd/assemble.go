package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/iiifd/cache"
	"example.com/iiifd/decode"
	"example.com/iiifd/docroot"
	"example.com/iiifd/metrics"
	"example.com/iiifd/render"
	"example.com/iiifd/server"
	"example.com/iiifd/source"
)

// assemble makes all parts of a service but what serves on the two sockets.
// It is where everything is found that a server refuses to start with:
// serve goes on with what it makes, config check closes it again. What is
// often wrong, directories, files and addresses, comes before the first part
// that logs.
func (s *service) assemble(ctx context.Context, dir string) error {
	var err error
	if s.telemetry, err = metrics.New(ctx, version, s.log); err != nil {
		return err
	}
	reg := s.telemetry.Registerer()
	s.metrics, s.sources = newProgramMetrics(reg), source.NewMetrics(reg)
	s.metrics.count(s.cfg.Warnings)
	mounts, err := s.surroundings(ctx, dir)
	if err != nil {
		return err
	}
	if err := s.machinery(reg); err != nil {
		return err
	}
	if err := s.openScripts(ctx, dir, reg); err != nil {
		return err
	}
	var viewer http.Handler
	if s.landing() {
		viewer = docroot.NewViewer(server.NewGallery(s.dirs[0], s.renderer), docroot.ViewerOptions{PageSuffix: ";", FirstPage: 1, Log: s.log})
	}
	deps := server.Deps{
		Renderer: s.renderer, Admission: s.admission, Mounts: mounts, Viewer: viewer, Ready: s.ready,
		Log: s.log, Access: s.log, Registerer: reg, Tracer: s.telemetry.Tracer(), Prefetch: s.prefetch, Listener: s.socket,
	}
	s.addScripts(&deps)
	s.server, err = server.New(s.cfg.Server, deps)
	return err
}

// surroundings opens what lies outside the program: directories, sockets and
// the files that settings name. All faults are reported together.
func (s *service) surroundings(ctx context.Context, dir string) ([]server.Mount, error) {
	mounts, err := s.mounts(dir)
	if err == nil {
		err = server.CheckMounts(mounts)
	}
	err = errors.Join(err, s.openTrees(dir), s.cfg.Decode.CheckProfile())
	var busy error
	s.socket, busy = s.cfg.Server.Bind(ctx)
	err = errors.Join(err, s.foreseen(busy))
	s.operatorSocket, busy = s.cfg.Operator.Bind(ctx)
	return mounts, errors.Join(err, s.foreseen(busy))
}

// foreseen lets a taken address pass where nothing is going to be served: the
// server whose configuration is checked may be running.
func (s *service) foreseen(err error) error {
	if s.rehearsal && errors.Is(err, syscall.EADDRINUSE) {
		return nil
	}
	return err
}

// machinery starts engine, cache, admission and what renders with them.
func (s *service) machinery(reg prometheus.Registerer) error {
	if err := s.openEngine(reg); err != nil {
		return err
	}
	if err := s.openCache(reg); err != nil {
		return err
	}
	if err := s.openAdmission(reg); err != nil {
		return err
	}
	s.handles = source.NewPool(s.cfg.Source.OpenFiles)
	var err error
	s.renderer, err = render.New(s.cfg.Render, render.Deps{
		Decoder: s.engine, Cache: s.cache, Admission: s.admission, Ledger: s.egress.of, Threshold: s.cfg.Admission.Threshold,
		Tracer: s.telemetry.Tracer(), Registerer: reg, Handles: s.handles,
		WatchMemory: decode.WatchMemory,
	}, s.probes())
	if err != nil {
		return err
	}
	s.openBeside()
	return nil
}

// rehearse tells what serve would refuse to start with. It serves nothing and
// leaves nothing behind; an init script runs once, as at every start.
func rehearse(ctx context.Context, cfg *config, dir string) error {
	s := &service{cfg: cfg, log: quiet(), rehearsal: true, bookedDisk: cfg.Cache.BookedBytes()}
	s.cfg.Cache.Dir = cache.Off
	err := s.assemble(ctx, dir)
	if s.telemetry != nil {
		// A context that has ended keeps what was counted from being sent.
		ended, end := context.WithCancel(ctx)
		end()
		_ = s.telemetry.Close(ended)
		s.telemetry = nil
	}
	return errors.Join(err, s.close(ctx))
}

// openTrees opens the docroot and the directories of scripts, where scripts
// are configured.
func (s *service) openTrees(dir string) error {
	s.roots = &source.Roots{}
	if !s.cfg.scripts() || s.main == nil {
		return nil
	}
	var err error
	if s.docroot, err = docroot.New(s.cfg.Docroot); err != nil {
		return err
	}
	if s.tempDir, err = os.MkdirTemp("", "iiifd-"); err != nil {
		return err
	}
	return s.addRoots(dir)
}
