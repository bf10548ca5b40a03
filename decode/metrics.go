package decode

import (
	"errors"
	"time"

	"github.com/davidbyttow/govips/v2/vips"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"example.com/iiifd/decode/plan"
)

// shortDeclined is the way of pictures that libvips made after all.
const shortDeclined = "declined"

// metrics are what decoding tells about itself.
type metrics struct {
	renders *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	short   *prometheus.CounterVec
	apart   *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer, e *Engine) *metrics {
	f := promauto.With(reg)
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "iiifd_decode_active", Help: "Pictures being rendered now.",
	}, func() float64 { return float64(e.active.Load()) })
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "iiifd_decode_vips_memory_bytes", Help: "Memory that libvips tracks for pixels; codecs come on top.",
	}, func() float64 {
		var s vips.MemoryStats
		vips.ReadVipsMemStats(&s)
		return float64(s.Mem)
	})
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "iiifd_decode_drawing_processes", Help: "Processes that draw a PDF or SVG now.",
	}, func() float64 { return float64(e.apartActive.Load()) })
	m := &metrics{
		renders: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_decode_renders_total", Help: "Pictures rendered, by kind of source, output format and outcome.",
		}, []string{"source", "format", "outcome"}),
		seconds: f.NewHistogramVec(prometheus.HistogramOpts{
			Name: "iiifd_decode_render_seconds", Help: "Time from opening a source to the last byte written.",
			Buckets: prometheus.ExponentialBuckets(0.002, 2.5, 12),
		}, []string{"source"}),
		short: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_decode_short_total",
			Help: "Pictures made without libvips, by way: stored tiles passed on, tiles decoded, JPEG 2000; declined are those that it made after all.",
		}, []string{"way"}),
		apart: f.NewCounterVec(prometheus.CounterOpts{
			Name: "iiifd_decode_drawings_total",
			Help: "Drawings (PDF, SVG) that a process of their own was started for: done, failed, killed as nobody waited any more, crashed by themselves or for want of memory.",
		}, []string{"outcome"}),
	}
	for _, outcome := range []string{apartDone, apartFailed, apartKilled, apartCrashed} {
		m.apart.WithLabelValues(outcome)
	}
	for _, way := range []string{string(plan.ShortStored), string(plan.ShortTiles), string(plan.ShortJP2), shortDeclined} {
		m.short.WithLabelValues(way)
	}
	return m
}

// observe records one rendering.
func (m *metrics) observe(p plan.Plan, err error, took time.Duration) {
	outcome := "ok"
	if e, ok := errors.AsType[*Error](err); ok {
		outcome = string(e.Kind)
	} else if err != nil {
		outcome = string(Internal)
	}
	m.renders.WithLabelValues(string(p.Shape.Loader), string(p.Encoder.Format), outcome).Inc()
	m.seconds.WithLabelValues(string(p.Shape.Loader)).Observe(took.Seconds())
}
