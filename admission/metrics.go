package admission

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the counters and histograms. Label values come from closed
// sets; nothing about a client is ever a label. The gauges are made from a
// snapshot, by collector.
type metrics struct {
	requests      *prometheus.CounterVec
	admitted      map[Lane]prometheus.Counter
	shed          map[Lane]prometheus.Counter
	shadowRefused prometheus.Counter
	comparisons   prometheus.Counter
	disagreement  *prometheus.CounterVec
	quota         *prometheus.CounterVec
	replayed      *prometheus.CounterVec
	wouldAdmit    prometheus.Counter
	wouldQueue    prometheus.Counter
	wouldReject   prometheus.Counter
	fanout        *prometheus.CounterVec
	displaced     prometheus.Counter
	transitions   *prometheus.CounterVec
	cancelled     *prometheus.CounterVec

	wait          map[Lane]prometheus.Observer
	decode        map[Lane]prometheus.Observer
	estimateError prometheus.Histogram

	memAcquired       prometheus.Counter
	memRejected       prometheus.Counter
	memTooLarge       prometheus.Counter
	memShadowRejected prometheus.Counter
	memShadowTooLarge prometheus.Counter
	memNearLimit      prometheus.Counter
	memEstimate       prometheus.Histogram
}

// The label values of the kinds that callers count by.
const (
	ReplayCache       = "cache"
	ReplayNotModified = "not_modified"
	ReplayJoined      = "joined"

	resultAdmitted = "admitted"
	resultShed     = "shed"
	resultRefused  = "refused"
	resultSkipped  = "skipped"
	resultError    = "error"
	codeNone       = "none"
	labelOther     = "other"
)

var (
	secondsBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	formatLabels   = []string{"jpg", "png", "webp", "tif", "gif", "jp2", "pdf", "avif", "jxl"}
)

// estimateBuckets are powers of four around the threshold, which is a bound
// itself: what lies above it was a full.
func estimateBuckets(threshold int64) []float64 {
	var bounds []float64
	for shift := -4; shift <= 5; shift++ {
		bound := float64(threshold)
		for range max(shift, 0) {
			bound *= 4
		}
		for range max(-shift, 0) {
			bound /= 4
		}
		bounds = append(bounds, bound)
	}
	return bounds
}

func newMetrics(reg prometheus.Registerer, threshold int64) *metrics {
	f := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		requests:      counters("iiifd_admission_requests_total", "Requests that asked for admission.", "partition", "result", "code"),
		shadowRefused: counter("iiifd_admission_full_shadow_rejected_total", "Fulls that advanced mode would have refused, counted in basic mode."),
		comparisons:   counter("iiifd_admission_classifier_comparisons_total", "Requests that both classifiers judged."),
		disagreement:  counters("iiifd_admission_classifier_disagreement_total", "Requests that the two classifiers judged differently.", "url", "engine", "format"),
		quota:         counters("iiifd_admission_quota_total", "Requests that a client quota applied to.", "result", "code"),
		replayed:      counters("iiifd_admission_replayed_total", "Answers that needed no permit.", "kind"),
		fanout:        counters("iiifd_admission_fanout_total", "Work that one request or the server itself started beside a request.", "kind", "result"),
		displaced:     counter("iiifd_admission_displaced_total", "Waiting requests shed in favour of a client with fewer waiters."),
		transitions:   counters("iiifd_pressure_transitions_total", "Changes of the pressure's severity.", "to", "reason"),
		cancelled:     counters("iiifd_admission_cancelled_total", "Running work that was cancelled.", "by"),
		estimateError: f.NewHistogram(prometheus.HistogramOpts{
			Name: "iiifd_admission_estimate_error_ratio", Help: "Rise of the process' private memory while a full of at least the threshold ran alone, divided by its estimate.",
			Buckets: []float64{.1, .25, .5, .75, .9, 1, 1.1, 1.25, 1.5, 2, 4},
		}),
		memAcquired:       counter("iiifd_decode_memory_acquired_total", "Full decodes that were charged to the budget."),
		memRejected:       counter("iiifd_decode_memory_rejected_total", "Full decodes shed because the budget had no room."),
		memTooLarge:       counter("iiifd_decode_memory_too_large_total", "Full decodes whose estimate alone exceeds the budget."),
		memShadowRejected: counter("iiifd_decode_memory_shadow_rejected_total", "Full decodes the budget would have shed, counted in basic mode."),
		memShadowTooLarge: counter("iiifd_decode_memory_shadow_too_large_total", "Full decodes the budget would have refused for good, counted in basic mode."),
		memNearLimit:      counter("iiifd_decode_memory_near_limit_total", "Decisions after which more than 80 percent of the budget was used."),
		memEstimate: f.NewHistogram(prometheus.HistogramOpts{
			Name: "iiifd_decode_memory_estimate_bytes", Help: "Estimated peaks of decodes.", Buckets: estimateBuckets(threshold),
		}),
		admitted: make(map[Lane]prometheus.Counter), shed: make(map[Lane]prometheus.Counter),
		wait: make(map[Lane]prometheus.Observer), decode: make(map[Lane]prometheus.Observer),
	}
	wait := f.NewHistogramVec(prometheus.HistogramOpts{
		Name: "iiifd_admission_wait_seconds", Help: "Time between asking for a permit and the grant.", Buckets: secondsBuckets,
	}, []string{"partition"})
	decode := f.NewHistogramVec(prometheus.HistogramOpts{
		Name: "iiifd_decode_seconds", Help: "Time between the grant and the end of the decode.", Buckets: secondsBuckets,
	}, []string{"partition"})
	m.shed[LaneTile] = counter("iiifd_admission_tile_shed_total", "Tiles that were refused with 503.")
	m.shed[LaneFull] = counter("iiifd_admission_full_shed_total", "Fulls that were refused with 503.")
	would := counters("iiifd_admission_would_total", "What the adaptive limit would do with each request.", "decision")
	m.wouldAdmit, m.wouldQueue, m.wouldReject = would.WithLabelValues("admit"), would.WithLabelValues("queue"), would.WithLabelValues("reject")
	for _, lane := range []Lane{LaneTile, LaneFull} {
		m.admitted[lane] = m.requests.WithLabelValues(string(lane), resultAdmitted, codeNone)
		m.wait[lane] = wait.WithLabelValues(string(lane))
		m.decode[lane] = decode.WithLabelValues(string(lane))
	}
	m.atZero()
	return m
}

// compared counts one comparison of the classifiers.
func (m *metrics) compared(url, engine Lane, format string) {
	m.comparisons.Inc()
	if url != engine {
		if !slices.Contains(formatLabels, format) {
			format = labelOther
		}
		m.disagreement.WithLabelValues(string(url), string(engine), format).Inc()
	}
}

// rejected counts one refusal.
func (m *metrics) rejected(lane Lane, code Code) {
	m.requests.WithLabelValues(string(lane), resultShed, string(code)).Inc()
	if code.Kind() == KindServer {
		m.shed[lane].Inc()
	}
	if code == CodeQueueDisplaced {
		m.displaced.Inc()
	}
}
