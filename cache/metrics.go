package cache

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The closed label sets. Kinds of errors are those of errorKind and the ones
// that package cache counts by itself.
const (
	tierMemory = "memory"
	tierDisk   = "disk"

	kindDamaged   = "damaged"
	kindSkipped   = "skipped"
	kindSpoolFull = "spool_full"
)

type metrics struct {
	hits      [Disk + 1]prometheus.Counter // by outcome
	misses    prometheus.Counter
	joined    prometheus.Counter
	fills     *prometheus.CounterVec
	inFlight  prometheus.Gauge
	bytes     *prometheus.GaugeVec
	entries   *prometheus.GaugeVec
	limit     *prometheus.GaugeVec
	evictions *prometheus.CounterVec
	purged    prometheus.Counter
	errors    *prometheus.CounterVec
	spool     prometheus.Gauge
	disabled  prometheus.Gauge
	indexing  prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return f.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	tiers := func(name, help string) *prometheus.GaugeVec {
		return f.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"tier"})
	}
	hits := f.NewCounterVec(prometheus.CounterOpts{
		Name: "iiifd_cache_hits_total", Help: "Answers served from the cache, by tier.",
	}, []string{"tier"})
	m := &metrics{
		hits: [Disk + 1]prometheus.Counter{
			Memory: hits.WithLabelValues(tierMemory), Disk: hits.WithLabelValues(tierDisk),
		},
		misses: counter("iiifd_cache_misses_total", "Lookups that found no answer in any tier."),
		joined: counter("iiifd_cache_joined_total", "Callers that joined another caller's fill."),
		fills: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_cache_fills_total",
			Help: "Fills that ended, by result: whole, failed, refused, superseded by another fill, abandoned by all readers.",
		}, []string{"result"}),
		inFlight: gauge("iiifd_cache_fills_in_flight", "Fills that run now."),
		bytes:    tiers("iiifd_cache_bytes", "Bytes held, by tier."),
		entries:  tiers("iiifd_cache_entries", "Answers held, by tier."),
		limit:    tiers("iiifd_cache_limit_bytes", "Most bytes a tier may hold."),
		evictions: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_cache_evictions_total", Help: "Answers dropped to make room, by tier.",
		}, []string{"tier"}),
		purged: counter("iiifd_cache_purged_total", "Files removed by purges."),
		errors: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_cache_errors_total", Help: "Disk tier errors, by kind; each costs an entry, never an answer.",
		}, []string{"kind"}),
		spool:    gauge("iiifd_cache_spool_bytes", "Bytes in files of answers that are not whole yet or no longer entries."),
		disabled: gauge("iiifd_cache_disabled", "1 while nothing can be stored on disk, by configuration or fault."),
		indexing: gauge("iiifd_cache_indexing", "1 while the directory is read after a start."),
	}
	for _, result := range []string{"whole", "failed", "refused", "superseded", "abandoned"} {
		m.fills.WithLabelValues(result)
	}
	for _, kind := range []string{kindDamaged, kindSkipped, kindSpoolFull, "no_space", "read_only", "permission", "vanished", "descriptors", "in_use", "io"} {
		m.errors.WithLabelValues(kind)
	}
	for _, tier := range []string{tierMemory, tierDisk} {
		m.evictions.WithLabelValues(tier)
	}
	return m
}
