package main

import (
	"context"
	"errors"
	"net"
	"time"
)

// telemetryTimeout bounds the last push.
const telemetryTimeout = 5 * time.Second

// drain refuses what waits for a permit, lets running requests end and then
// waits until their decodes have really stopped, which read from the sources.
//
// idle is false where decodes are still running: libvips stops between two
// pieces of work, and a piece may last.
func (s *service) drain(ctx context.Context) (idle bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Server.DrainTimeout)
	defer cancel()
	if s.admission != nil {
		s.admission.Drain()
	}
	if s.server == nil {
		return true, nil
	}
	err = s.server.Close(ctx)
	if s.admission != nil && s.admission.Idle(ctx) != nil {
		s.log.WarnContext(ctx, "decodes are still running", "count", len(s.admission.Decodes()))
		return false, err
	}
	return true, err
}

// errStuck is returned by close where decodes outlasted the drain time-out.
var errStuck = errors.New("decodes were still running at the end of the drain time-out")

// close ends everything in reverse order. Where decodes are still running it
// closes nothing that they use, since waiting for them could take for ever:
// the end of the process does that, and the cache is made to survive it.
func (s *service) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // The end of the program's context is what ends the service.
	s.pace.stop()
	s.janitor.stop()
	s.prefetch.Close()
	s.warmer.Close()
	idle, err := s.drain(ctx)
	errs := []error{err}
	if s.operator != nil {
		errs = append(errs, s.operator.Close())
	}
	errs = append(errs, s.closeScripts())
	for _, l := range []net.Listener{s.socket, s.operatorSocket} {
		if l != nil {
			_ = l.Close() // Closed before where it was served on.
		}
	}
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
		ctx, cancel := context.WithTimeout(ctx, telemetryTimeout)
		defer cancel()
		if err := s.telemetry.Close(ctx); err != nil {
			s.log.WarnContext(ctx, "telemetry was not sent", "error", err.Error())
		}
	}
	return errors.Join(errs...)
}
