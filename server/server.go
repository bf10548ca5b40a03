// Package server is iiifd's HTTP: the public listener with the Image API,
// original files, landing page and health, and how errors become answers.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"example.com/iiifd/admission"
	"example.com/iiifd/auth"
	"example.com/iiifd/docroot"
	"example.com/iiifd/lua"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// Deps is what the server needs of the other packages.
type Deps struct {
	Renderer *render.Renderer
	// Admission tells clients apart; nil treats all as one.
	Admission *admission.Controller
	// Mounts are the paths served; checked by New.
	Mounts []Mount
	// Viewer answers / and /viewer/…; nil where it is off.
	Viewer http.Handler
	// Authorizer decides who may see what; nil lets all see everything.
	Authorizer auth.Authorizer
	// Roots are the directories from which an authorizer may have files
	// served and watermarks read.
	Roots *source.Roots
	// Scripts runs Lua routes and the docroot's scripts; nil for none.
	Scripts *lua.Runtime
	// TempDir is where bodies of requests to scripts are kept.
	TempDir string
	// ScriptMemory is what one script may hold, in bytes.
	ScriptMemory int64
	// Docroot is the static tree; nil for none.
	Docroot *docroot.Root
	// Ready returns nil when the server can do its work, apart from draining.
	Ready func(context.Context) error
	Log   *slog.Logger
	// Access receives one line per request.
	Access     *slog.Logger
	Registerer prometheus.Registerer
	// Prefetch is told of served tiles; nil for none.
	Prefetch *render.Prefetcher
	// Listener is what Open serves on; nil lets it bind the configured address.
	Listener net.Listener
	// Tracer makes the spans of requests; nil for none.
	Tracer trace.Tracer
}

// Server is the public listener.
type Server struct {
	deps    Deps
	log     *slog.Logger
	access  *slog.Logger
	metrics *metrics
	tracing *tracing
	streams chan struct{}
	current atomic.Pointer[settings]

	http     *http.Server
	listener net.Listener
	certs    *certificates
	draining atomic.Bool
	served   chan error
}

// settings is the configuration as requests use it; SIGHUP replaces it.
type settings struct {
	Config
	proxies proxies
}

// New makes a server that does not listen yet.
func New(cfg Config, deps Deps) (*Server, error) {
	if err := errors.Join(cfg.Validate(), CheckMounts(deps.Mounts), checkRoutes(deps)); err != nil {
		return nil, err
	}
	s := &Server{
		deps: deps, log: deps.Log, access: deps.Access,
		tracing: newTracing(deps.Tracer),
		streams: make(chan struct{}, cfg.FileStreams),
		served:  make(chan error, 1),
	}
	s.metrics = newMetrics(deps.Registerer, s)
	if err := s.Reload(cfg); err != nil {
		return nil, err
	}
	s.http = &http.Server{
		Handler:           s.observe(cors(s.methods, s.routes())),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(deps.Log.Handler(), slog.LevelDebug),
		ConnContext:       withConnection,
		Protocols:         protocols(),
		// The write deadline of a stream does not end a connection whose
		// client reads nothing at all; this does.
		HTTP2: &http.HTTP2Config{WriteByteTimeout: cfg.WriteTimeout, SendPingTimeout: time.Minute},
	}
	return s, nil
}

// protocols allows HTTP/1.1 and HTTP/2, with TLS and without (behind a
// proxy that speaks h2c).
func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// Reload takes new values of the reloadable settings. On an error nothing
// has changed.
func (s *Server) Reload(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	prefixes, err := parsePrefixes(cfg.TrustedProxies)
	if err != nil {
		return err
	}
	if s.certs != nil {
		if err := s.certs.reload(); err != nil {
			return err
		}
	}
	s.current.Store(&settings{Config: cfg, proxies: prefixes})
	return nil
}

func (s *Server) settings() *settings { return s.current.Load() }

// Handler returns the whole public handler, for tests.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// Open listens and serves in the background. A port that is taken or a
// certificate that cannot be read is its error.
func (s *Server) Open(ctx context.Context) error {
	cfg := s.settings()
	var err error
	l := s.deps.Listener
	if l == nil {
		if l, err = cfg.Bind(ctx); err != nil {
			return err
		}
	}
	limited := newCapped(connections{l}, cfg.MaxConnections, s.metrics.evicted.Inc, s.metrics.connected)
	s.http.ConnState, l = limited.follow, limited
	if cfg.TLSCert != "" {
		if s.certs, err = loadCertificates(cfg.TLSCert, cfg.TLSKey); err != nil {
			return errors.Join(err, l.Close())
		}
		s.http.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.certs.get, NextProtos: []string{"h2", "http/1.1"}}
		l = tls.NewListener(l, s.http.TLSConfig)
	}
	s.listener = l
	go func() { s.served <- s.http.Serve(l) }()
	return nil
}

// Address returns the address listened on, after Open.
func (s *Server) Address() net.Addr { return s.listener.Addr() }

// Failed delivers the error that ended serving.
func (s *Server) Failed() <-chan error { return s.served }

// Drain makes the server unready, so that load balancers stop sending.
func (s *Server) Drain() { s.draining.Store(true) }

// Close drains and ends: the listener first, then running requests until
// the context ends, then their connections.
func (s *Server) Close(ctx context.Context) error {
	s.Drain()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests still running: %w", err), s.http.Close())
	}
	return nil
}
