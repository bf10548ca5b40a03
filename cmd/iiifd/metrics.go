package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"example.com/iiifd/option"
)

// programMetrics are what the program counts about its own configuration.
type programMetrics struct {
	fallbacks prometheus.Counter
}

func newProgramMetrics(reg prometheus.Registerer) *programMetrics {
	return &programMetrics{
		fallbacks: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "iiifd_config_fallback_total",
			Help: "Values of SIPI_* variables that are not known and were replaced by a default; the log names them.",
		}),
	}
}

// count adds what came up while a configuration was loaded.
func (m *programMetrics) count(warnings []option.Warning) {
	for _, w := range warnings {
		if w.Fallback {
			m.fallbacks.Inc()
		}
	}
}
