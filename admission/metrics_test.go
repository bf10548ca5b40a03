package admission

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

// metricNames are the names that dashboards rely on.
const metricNames = `
iiifd_admission_adaptive_limit iiifd_admission_adaptive_mode iiifd_admission_adaptive_utilization
iiifd_admission_budget_source iiifd_admission_bytes_in_use iiifd_admission_bytes_limit
iiifd_admission_cancelled_total iiifd_admission_classifier_comparisons_total iiifd_admission_classifier_disagreement_total
iiifd_admission_displaced_total iiifd_admission_egress_bytes_in_use iiifd_admission_estimate_error_ratio
iiifd_admission_fanout_total iiifd_admission_full_in_use iiifd_admission_full_max_threads
iiifd_admission_full_shadow_rejected_total iiifd_admission_full_shed_total iiifd_admission_full_waiting
iiifd_admission_headroom_in_use_bytes iiifd_admission_ingest_bytes_in_use iiifd_admission_keys_waiting
iiifd_admission_lanes iiifd_admission_large_decode_threshold_bytes iiifd_admission_memory_limit_bytes
iiifd_admission_mode iiifd_admission_permits iiifd_admission_permits_in_use iiifd_admission_permits_total
iiifd_admission_queue_bytes iiifd_admission_queue_held_bytes iiifd_admission_quota_total iiifd_admission_replayed_total
iiifd_admission_requests_total iiifd_admission_tile_min_threads iiifd_admission_tile_shed_total
iiifd_admission_tile_waiting iiifd_admission_tiles_memory_ratio iiifd_admission_tiles_thread_ratio
iiifd_admission_virtual_lanes iiifd_admission_wait_seconds iiifd_admission_would_total
iiifd_admission_charged_bytes iiifd_admission_resident_bytes iiifd_decode_memory_acquired_total iiifd_decode_memory_budget_bytes iiifd_decode_memory_estimate_bytes
iiifd_decode_memory_near_limit_total iiifd_decode_memory_rejected_total iiifd_decode_memory_shadow_rejected_total
iiifd_decode_memory_shadow_too_large_total iiifd_decode_memory_too_large_total iiifd_decode_memory_used_bytes
iiifd_decode_seconds iiifd_pressure_severity iiifd_pressure_signal_ratio iiifd_pressure_stale iiifd_pressure_transitions_total
`

// exercised is a registry after one of everything.
func exercised(t *testing.T) (*prometheus.Registry, map[string]*dto.MetricFamily) {
	t.Helper()
	reg := prometheus.NewRegistry()
	cfg := defaults()
	cfg.Threads = 4
	withQuota(t, strings.Replace(goodQuota, `"global_executing":8`, `"global_executing":4`, 1))(&cfg, nil)
	m := newMachine()
	c, err := New(cfg, Facts{Root: m, Manual: true, RSS: func() (int64, bool) { return 100 * mib, true }}, slog.New(slog.DiscardHandler), reg)
	if err != nil {
		t.Fatal(err)
	}
	r := rig{c, t}
	l := r.must(Ask{URL: LaneTile, Peak: 40 * mib, Format: "client's own words", Identity: "alpha"})
	ctx := l.Context(t.Context())
	c.Cancel(c.Decodes()[0].ID)
	if ctx.Err() == nil {
		t.Error("not cancelled")
	}
	l.Record(Result{Peak: 20 * mib, OK: true})
	l.Release()
	r.refused(t.Context(), Ask{URL: LaneFull, Peak: 100 * gib, Format: "jpg"})
	c.Replayed(ReplayCache)
	c.TryProbe(FanoutWarm, "a", 100*gib)
	m.use(95, 0)
	c.Tick()
	c.Tick()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]*dto.MetricFamily)
	for _, f := range families {
		byName[f.GetName()] = f
	}
	return reg, byName
}

func TestMetricNames(t *testing.T) {
	t.Parallel()
	_, families := exercised(t)
	want := strings.Fields(metricNames)
	slices.Sort(want)
	got := slices.Sorted(maps.Keys(families))
	if !slices.Equal(got, want) {
		for _, n := range got {
			if !slices.Contains(want, n) {
				t.Errorf("%s is not in the list", n)
			}
		}
		for _, n := range want {
			if !slices.Contains(got, n) {
				t.Errorf("%s is missing", n)
			}
		}
	}
}

func TestMetricsAreClean(t *testing.T) {
	t.Parallel()
	_, families := exercised(t)
	problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(families))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.Metric != "iiifd_admission_permits_total" {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// TestLabelsAreClosed: no label can take a value that a client chose.
func TestLabelsAreClosed(t *testing.T) {
	t.Parallel()
	_, families := exercised(t)
	allowed := map[string][]string{
		"partition": {"tile", "full"}, "url": {"tile", "full"}, "engine": {"tile", "full"},
		"format": append([]string{labelOther}, formatLabels...),
		"result": {resultAdmitted, resultShed, string(CodeClientGone), "refused", "skipped", "error"},
		"kind":   {"prefetch", "warm", "lua", ReplayCache, ReplayNotModified, ReplayJoined, labelOther},
		"by":     {"client", "operator", "timeout"}, "decision": {"admit", "queue", "reject"},
		"to": {"normal", "high", "critical"}, "source": {"override", "cgroup_v2", "cgroup_v1", "host"},
		"part":   {"idle", "tile", "full", "script", "cache", "egress", "ingest"},
		"signal": {signalCgroup, signalHigh, signalPSISome, signalPSIFull, signalRSS, signalVips, signalGoHeap},
		"reason": {signalCgroup, signalHigh, signalPSISome, signalPSIFull, signalRSS, signalVips, signalGoHeap, reasonOOM, reasonRecovery},
		"code":   {codeNone, string(CodeClientGone)},
	}
	for _, c := range Codes() {
		allowed["code"] = append(allowed["code"], string(c))
	}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(allowed[l.GetName()], l.GetValue()) {
					t.Errorf("%s{%s=%q}", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
	for _, m := range families["iiifd_admission_classifier_disagreement_total"].GetMetric() {
		if got := m.GetLabel()[1].GetValue(); m.GetCounter().GetValue() > 0 && got != labelOther {
			t.Errorf("format %q", got)
		}
	}
}

// TestUnreadableSignalsAreAbsent: unknown is not zero.
func TestUnreadableSignalsAreAbsent(t *testing.T) {
	t.Parallel()
	_, families := exercised(t)
	for _, m := range families["iiifd_pressure_signal_ratio"].GetMetric() {
		switch name := m.GetLabel()[0].GetValue(); name {
		case signalCgroup, signalPSISome, signalPSIFull:
		default:
			t.Errorf("%s is present", name)
		}
	}
}

func TestThresholdIsABucketBound(t *testing.T) {
	t.Parallel()
	for _, threshold := range []int64{32 * mib, 12345} {
		bounds := estimateBuckets(threshold)
		if !slices.Contains(bounds, float64(threshold)) || !slices.IsSorted(bounds) {
			t.Errorf("%d: %v", threshold, bounds)
		}
	}
}

func TestCodesHaveKinds(t *testing.T) {
	t.Parallel()
	count := map[Kind]int{}
	for _, c := range Codes() {
		count[c.Kind()]++
	}
	if count[KindNever] != 3 || count[KindQuota] != 3 || count[KindServer] != 10 {
		t.Errorf("%v", count)
	}
	if Code("unheard of").Kind() != KindServer {
		t.Error("an unknown code")
	}
}

// TestMetricsStartAtZero: an alert on the first event of its kind needs the
// series before it. After one of everything no series is new.
func TestMetricsStartAtZero(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	newMetrics(reg, 32*mib)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]int)
	for _, f := range families {
		known[f.GetName()] = len(f.GetMetric())
	}
	_, after := exercised(t)
	for name, f := range after {
		if n, ok := known[name]; ok && n != len(f.GetMetric()) {
			t.Errorf("%s has %d series and had %d", name, len(f.GetMetric()), n)
		}
	}
}

// TestChargedBesideResident: the parts add up, in the snapshot and as
// metrics.
func TestChargedBesideResident(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	l := r.must(full("k_0"))
	if !r.Egress.Take("k_0", 3*mib) {
		t.Fatal("no room")
	}
	m := r.Snapshot().Memory
	if m.Fulls != 64*mib || m.Egress != 3*mib || m.ChargedBytes != m.Idle+m.Tiles+m.Fulls+m.Scripts+m.Cache+m.Egress+m.Ingest {
		t.Errorf("%+v", m)
	}
	l.Release()
	r.Egress.Give("k_0", 3*mib)
	if after := r.Snapshot().Memory; after.ChargedBytes != after.Idle {
		t.Errorf("idle: %+v", after)
	}
}

// TestEstimateErrorNeedsSolitude: a peak counts only for work that was alone
// from its grant to its end.
func TestEstimateErrorNeedsSolitude(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	cfg := defaults()
	cfg.Threads = 4
	c, err := New(cfg, Facts{Root: newMachine(), Manual: true, RSS: func() (int64, bool) { return 100 * mib, true }}, slog.New(slog.DiscardHandler), reg)
	if err != nil {
		t.Fatal(err)
	}
	r := rig{c, t}
	ask := Ask{URL: LaneTile, Peak: 20 * mib}
	end := func(l *Lease) {
		l.Record(Result{Peak: 10 * mib, OK: true})
		l.Release()
	}
	samples := func() uint64 {
		var m dto.Metric
		if err := c.metrics.estimateError.Write(&m); err != nil {
			t.Fatal(err)
		}
		return m.GetHistogram().GetSampleCount()
	}
	first := r.must(ask)
	if !first.Alone() {
		t.Error("the first is not alone")
	}
	second := r.must(ask)
	third := r.must(ask)
	end(second)
	end(third)
	if first.Alone() {
		t.Error("the first forgets the others")
	}
	end(first)
	if n := samples(); n != 0 {
		t.Errorf("%d samples of work in company", n)
	}
	end(r.must(ask))
	failed := r.must(ask)
	failed.Record(Result{Peak: 10 * mib})
	failed.Release()
	if n := samples(); n != 1 {
		t.Errorf("%d samples of one that was alone and one that failed", n)
	}
}
