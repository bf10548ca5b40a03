package render

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The results of looking for header facts.
const (
	headerKnown  = "known"
	headerRead   = "read"
	headerFailed = "failed"
)

// metrics are the renderer's own.
type metrics struct {
	headers  *prometheus.CounterVec
	estimate *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer, probes chan struct{}) *metrics {
	f := promauto.With(reg)
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "iiifd_source_header_probes", Help: "Headers being read now.",
	}, func() float64 { return float64(len(probes)) })
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "iiifd_source_header_probes_limit", Help: "Headers that may be read at once.",
	}, func() float64 { return float64(cap(probes)) })
	m := &metrics{
		headers: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_source_headers_total", Help: "Requests that needed an image's header facts: known already, read, or not readable.",
		}, []string{"result"}),
		estimate: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "iiifd_decode_estimate_bytes", Help: "Estimated peaks of decodes that asked for admission, by kind of source and output format.",
			Buckets: prometheus.ExponentialBuckets(1<<20, 4, 9),
		}, []string{"source", "format"}),
	}
	for _, result := range []string{headerKnown, headerRead, headerFailed} {
		m.headers.WithLabelValues(result)
	}
	return m
}
