package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the public listener's own.
type metrics struct {
	requests          *prometheus.CounterVec
	duration          *prometheus.HistogramVec
	inFlight          prometheus.Gauge
	streams           prometheus.Gauge
	evicted           prometheus.Counter
	connections, idle prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer, s *Server) *metrics {
	f := promauto.With(reg)
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "iiifd_ready",
		Help: "1 while the server should get requests, as /readyz tells.",
	}, func() float64 {
		if s.draining.Load() || s.deps.Ready(context.Background()) != nil {
			return 0
		}
		return 1
	})
	return &metrics{
		requests: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_http_requests_total",
			Help: "Answered requests by kind of resource, method and status; 499 means that the client left first. An answer cut off after its head counts as 499 or 500.",
		}, []string{"route", "method", "status"}),
		duration: f.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "iiifd_http_request_duration_seconds",
			Help:    "Time from the end of a request's head to the last byte of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route"}),
		inFlight: f.NewGauge(prometheus.GaugeOpts{
			Name: "iiifd_http_requests_in_flight",
			Help: "Requests being answered now.",
		}),
		streams: f.NewGauge(prometheus.GaugeOpts{
			Name: "iiifd_http_file_streams",
			Help: "Original files being sent now.",
		}),
		connections: f.NewGauge(prometheus.GaugeOpts{
			Name: "iiifd_http_connections",
			Help: "Connections of the public listener that are open now.",
		}),
		idle: f.NewGauge(prometheus.GaugeOpts{
			Name: "iiifd_http_idle_connections",
			Help: "Those of them whose client has no request under way.",
		}),
		evicted: f.NewCounter(prometheus.CounterOpts{
			Name: "iiifd_http_idle_connections_closed_total",
			Help: "Connections without a request that were closed to make room for new ones at max-connections.",
		}),
	}
}

// setRoute names the kind of resource for the metrics: one of a closed set.
func setRoute(r *http.Request, route string) { exchangeOf(r).route = route }

// connected notes how many connections there are.
func (m *metrics) connected(open, idle int) {
	m.connections.Set(float64(open))
	m.idle.Set(float64(idle))
}

func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	route := exchangeOf(r).route
	if route == "" {
		route = "other"
	}
	m.requests.WithLabelValues(route, method(r.Method), strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}

// method keeps the label's set closed.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodDelete:
		return m
	}
	return "other"
}
