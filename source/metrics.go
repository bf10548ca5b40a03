package source

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The closed label sets.
const (
	operationStat = "stat"
	operationOpen = "open"

	resultOK       = "ok"
	resultNotFound = "not_found"
	resultGone     = "client_gone"
	resultFailed   = "failed"
)

// Metrics count what is asked of all sources of a process.
type Metrics struct {
	operations *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
}

// NewMetrics registers the metrics; reg may be nil.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	m := &Metrics{
		operations: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_source_operations_total", Help: "Objects described (stat) or opened, by result.",
		}, []string{"operation", "result"}),
		seconds: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "iiifd_source_operation_seconds", Help: "Time that a source took to describe (stat) or open an object.",
			Buckets: []float64{.00001, .0001, .001, .005, .025, .1, .5, 1, 5, 30},
		}, []string{"operation"}),
	}
	for _, operation := range []string{operationStat, operationOpen} {
		m.seconds.WithLabelValues(operation)
		for _, result := range []string{resultOK, resultNotFound, resultGone, resultFailed} {
			m.operations.WithLabelValues(operation, result)
		}
	}
	return m
}

// Measured returns src with its operations counted.
func (m *Metrics) Measured(src Source) Source { return &measured{src, m} }

// measured is a source with its operations counted.
type measured struct {
	source  Source
	metrics *Metrics
}

// Stat implements Source.
func (s *measured) Stat(ctx context.Context, identifier string) (Info, error) {
	began := time.Now()
	info, err := s.source.Stat(ctx, identifier)
	s.metrics.observe(ctx, operationStat, err, time.Since(began))
	return info, err
}

// Open implements Source.
func (s *measured) Open(ctx context.Context, identifier string) (Object, error) {
	began := time.Now()
	obj, err := s.source.Open(ctx, identifier)
	s.metrics.observe(ctx, operationOpen, err, time.Since(began))
	return obj, err
}

func (m *Metrics) observe(ctx context.Context, operation string, err error, took time.Duration) {
	result := resultOK
	switch {
	case err == nil:
	case errors.Is(err, ErrNotFound):
		result = resultNotFound
	case ctx.Err() != nil:
		result = resultGone
	default:
		result = resultFailed
	}
	m.operations.WithLabelValues(operation, result).Inc()
	m.seconds.WithLabelValues(operation).Observe(took.Seconds())
}
