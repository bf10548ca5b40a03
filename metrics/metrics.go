// Package metrics holds the process' one registry and its two exits: the
// Prometheus page and, where the standard OTEL_* variables name an endpoint,
// OTLP over HTTP for metrics and traces.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	prombridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Telemetry is the registry, its exits and the tracer.
type Telemetry struct {
	registry *prometheus.Registry
	tracer   trace.TracerProvider
	closers  []func(context.Context) error
}

// New makes the registry with the Go, process and build collectors, and the
// OTLP exporters where OTEL_EXPORTER_OTLP_ENDPOINT or its per-signal variant
// is set. version is the program's.
func New(ctx context.Context, version string, logger *slog.Logger) (*Telemetry, error) {
	t := &Telemetry{registry: prometheus.NewRegistry(), tracer: noop.NewTracerProvider()}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "iiifd_build_info", Help: "Always 1; the label tells the running version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	for _, c := range []prometheus.Collector{build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := t.registry.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	res, err := describe(ctx, version)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.WarnContext(ctx, "telemetry export", "error", err.Error()) }))
	if err := errors.Join(t.pushMetrics(ctx, res), t.pushTraces(ctx, res)); err != nil {
		return nil, errors.Join(err, t.Close(ctx))
	}
	return t, nil
}

// enabled tells whether a signal has an endpoint and is not switched off.
func enabled(signal string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

// pushMetrics sends what /metrics shows.
func (t *Telemetry) pushMetrics(ctx context.Context, res *resource.Resource) error {
	if !enabled("METRICS") {
		return nil
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return fmt.Errorf("OTLP metrics: %w", err)
	}
	bridge := prombridge.NewMetricProducer(prombridge.WithGatherer(t.registry))
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithResource(res),
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithProducer(bridge))))
	t.closers = append(t.closers, provider.Shutdown)
	return nil
}

// pushTraces sends spans.
func (t *Telemetry) pushTraces(ctx context.Context, res *resource.Resource) error {
	if !enabled("TRACES") {
		return nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("OTLP traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res))
	t.tracer = provider
	t.closers = append(t.closers, provider.Shutdown)
	return nil
}

// Registerer is where packages register their metrics.
func (t *Telemetry) Registerer() prometheus.Registerer { return t.registry }

// Gatherer reads all metrics.
func (t *Telemetry) Gatherer() prometheus.Gatherer { return t.registry }

// Tracer makes the program's spans; without an endpoint they cost nothing.
func (t *Telemetry) Tracer() trace.Tracer { return t.tracer.Tracer("iiifd") }

// Handler answers /metrics.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{Registry: t.registry})
}

// Close sends what is left and ends the exporters.
func (t *Telemetry) Close(ctx context.Context) error {
	var errs []error
	for _, c := range t.closers {
		errs = append(errs, c(ctx))
	}
	return errors.Join(errs...)
}
