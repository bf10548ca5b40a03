package lua

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
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
	return &runtimeMetrics{
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
}
