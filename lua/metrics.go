package lua

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"example.com/iiifd/auth"
)

// runtimeMetrics are what the runtime counts.
type runtimeMetrics struct {
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	kills    *prometheus.CounterVec
	starts   prometheus.Counter
	workers  prometheus.Gauge
	running  *prometheus.GaugeVec
	waiting  *prometheus.GaugeVec
	verdicts *prometheus.CounterVec
	images   *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *runtimeMetrics {
	f := promauto.With(reg)
	m := &runtimeMetrics{
		calls: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_lua_calls_total", Help: "Calls of scripts by kind and result.",
		}, []string{"kind", "result"}),
		seconds: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "iiifd_lua_call_seconds", Help: "Time that calls of scripts took, from their start to their end.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"kind"}),
		kills: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_lua_kills_total", Help: "Scripts that were ended because they exceeded a limit or crashed.",
		}, []string{"reason"}),
		starts: f.NewCounter(prometheus.CounterOpts{
			Name: "iiifd_lua_worker_starts_total", Help: "Worker processes that were started.",
		}),
		workers: f.NewGauge(prometheus.GaugeOpts{
			Name: "iiifd_lua_workers", Help: "Worker processes that exist.",
		}),
		running: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "iiifd_lua_running", Help: "Calls of scripts that run now.",
		}, []string{"kind"}),
		waiting: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "iiifd_lua_waiting", Help: "Calls of scripts that wait for a slot.",
		}, []string{"kind"}),
		verdicts: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_lua_verdicts_total", Help: "Verdicts of pre-flight hooks by permission, and whether they were remembered.",
		}, []string{"permission", "source"}),
		images: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_lua_images_total", Help: "Images that scripts rendered by result.",
		}, []string{"result"}),
	}
	m.atZero()
	return m
}

// atZero brings the series that are known beforehand into being, so that
// rates see the first event of its kind.
func (m *runtimeMetrics) atZero() {
	for _, kind := range []string{"script", "hook"} {
		m.seconds.WithLabelValues(kind)
		m.running.WithLabelValues(kind)
		m.waiting.WithLabelValues(kind)
		for _, result := range []string{"ok", "killed", "missing", "error"} {
			m.calls.WithLabelValues(kind, result)
		}
	}
	for _, reason := range []Reason{ReasonTime, ReasonMemory, ReasonInstructions, ReasonCancelled, ReasonCrash} {
		m.kills.WithLabelValues(string(reason))
	}
	for _, permission := range []auth.Kind{auth.Allow, auth.Deny, auth.Restrict, auth.Login, auth.Clickthrough, auth.Kiosk, auth.External} {
		m.verdicts.WithLabelValues(string(permission), "hook")
		m.verdicts.WithLabelValues(string(permission), "remembered")
	}
	for _, result := range []string{"ok", "skipped", "error"} {
		m.images.WithLabelValues(result)
	}
}
