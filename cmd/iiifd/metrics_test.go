package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

// promisedMetrics are the names that dashboards and alerts may rely on.
const promisedMetrics = `
iiifd_admission_permits_in_use iiifd_admission_permits_total iiifd_admission_permits iiifd_admission_full_in_use
iiifd_admission_tile_waiting iiifd_admission_full_waiting iiifd_admission_tile_shed_total iiifd_admission_full_shed_total
iiifd_admission_full_shadow_rejected_total iiifd_admission_classifier_disagreement_total iiifd_admission_classifier_comparisons_total
iiifd_admission_mode iiifd_admission_tile_min_threads iiifd_admission_full_max_threads iiifd_admission_tiles_thread_ratio
iiifd_admission_tiles_memory_ratio iiifd_admission_memory_limit_bytes iiifd_admission_large_decode_threshold_bytes
iiifd_admission_queue_bytes iiifd_admission_queue_held_bytes iiifd_admission_keys_waiting iiifd_admission_bytes_in_use
iiifd_admission_bytes_limit iiifd_admission_headroom_in_use_bytes iiifd_admission_ingest_bytes_in_use
iiifd_admission_egress_bytes_in_use iiifd_admission_adaptive_limit iiifd_admission_adaptive_utilization iiifd_admission_lanes
iiifd_admission_adaptive_mode iiifd_admission_virtual_lanes iiifd_admission_budget_source iiifd_admission_requests_total
iiifd_admission_quota_total iiifd_admission_replayed_total iiifd_admission_would_total iiifd_admission_fanout_total
iiifd_admission_displaced_total iiifd_admission_cancelled_total iiifd_admission_wait_seconds iiifd_admission_estimate_error_ratio
iiifd_admission_charged_bytes iiifd_admission_resident_bytes
iiifd_decode_memory_budget_bytes iiifd_decode_memory_used_bytes iiifd_decode_memory_acquired_total
iiifd_decode_memory_rejected_total iiifd_decode_memory_too_large_total iiifd_decode_memory_shadow_rejected_total
iiifd_decode_memory_shadow_too_large_total iiifd_decode_memory_near_limit_total iiifd_decode_memory_estimate_bytes
iiifd_decode_seconds iiifd_decode_estimate_bytes
iiifd_pressure_severity iiifd_pressure_signal_ratio iiifd_pressure_stale iiifd_pressure_transitions_total
iiifd_cache_hits_total iiifd_cache_misses_total iiifd_cache_joined_total iiifd_cache_bytes iiifd_cache_errors_total
iiifd_source_operations_total iiifd_source_operation_seconds iiifd_source_headers_total iiifd_source_header_probes
iiifd_http_requests_total iiifd_http_request_duration_seconds iiifd_http_requests_in_flight iiifd_http_file_streams
iiifd_lua_calls_total iiifd_lua_call_seconds iiifd_lua_kills_total iiifd_lua_worker_starts_total iiifd_lua_workers
iiifd_lua_running iiifd_lua_waiting iiifd_lua_verdicts_total iiifd_lua_images_total iiifd_config_fallback_total iiifd_ready iiifd_build_info
process_resident_memory_bytes go_goroutines
`

const metricsHead = "# Metrics\n\n`GET /metrics` on the operator listener, and by the same names over OTLP where `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The collectors\n" +
	"of the Go runtime (`go_*`) and of the process (`process_*`) come on top. Labels have closed sets of values: no client, identifier\n" +
	"or address is ever one. What could not be read is absent, never 0. `promtool check metrics` has one complaint:\n" +
	"`iiifd_admission_permits_total` is a gauge whose name is kept; `iiifd_admission_permits` is the same without it.\n\n" +
	"Traces have a span for each request and below it one for each stage: `parse`, `authorize`, `stat`, `plan`, `cache`, `acquire`,\n" +
	"`decode`, `write`. `acquire` and `decode` lie within the time of `cache` and are missing where a stored answer or another\n" +
	"request's work served. A caller's `traceparent` goes on. Attributes: `iiifd.lane`, `iiifd.lane_url`, `iiifd.lane_engine`,\n" +
	"`iiifd.estimate_bytes`, `iiifd.wait_ms`, `iiifd.cache`, `iiifd.code`, `iiifd.source_format`, `iiifd.format`,\n" +
	"`iiifd.request_id`; the access log has the `trace_id`. Health checks are not traced.\n\n" +
	"This page is generated from what a started server shows (`make docs`).\n\n| name | type | labels | meaning |\n|---|---|---|---|\n"

// gathered starts a service, has it answer one of each kind of request and
// returns its metrics.
func gathered(t *testing.T) (*running, map[string]*dto.MetricFamily) {
	t.Helper()
	dir, _ := picture(t)
	vast(t, dir)
	s := startWith(t, dir, []string{"SIPI_ADMISSION_MODE=enforcing"}, "--script-dir", t.TempDir(), "--docroot", t.TempDir())
	for path, status := range map[string]int{
		"/iiif/3/a.png/full/60,/0/default.jpg": http.StatusOK, "/iiif/3/a.png/info.json": http.StatusOK,
		"/iiif/3/a.png/file": http.StatusOK, "/iiif/3/nothing/info.json": http.StatusNotFound,
	} {
		if resp, body := fetch(t, s.base+path); resp.StatusCode != status {
			t.Fatalf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	families := make(map[string]*dto.MetricFamily)
	await(t, "the requests to be counted", func() bool {
		all, err := s.telemetry.Gatherer().Gather()
		if err != nil {
			t.Fatal(err)
		}
		counted := 0.0
		for _, f := range all {
			families[f.GetName()] = f
			if f.GetName() == "iiifd_http_requests_total" {
				for _, m := range f.GetMetric() {
					counted += m.GetCounter().GetValue()
				}
			}
		}
		return counted == 4
	})
	return s, families
}

func TestMetrics(t *testing.T) {
	s, families := gathered(t)
	for name := range strings.FieldsSeq(promisedMetrics) {
		if families[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if v := families["iiifd_config_fallback_total"].GetMetric()[0].GetCounter().GetValue(); v != 1 {
		t.Errorf("%v fallbacks", v)
	}
	if v := families["iiifd_ready"].GetMetric()[0].GetGauge().GetValue(); v != 1 {
		t.Errorf("ready %v", v)
	}
	if v := families["iiifd_admission_mode"].GetMetric()[0].GetGauge().GetValue(); v != 0 {
		t.Errorf("mode %v, want basic", v)
	}
	estimate := families["iiifd_decode_estimate_bytes"].GetMetric()
	if len(estimate) != 1 || estimate[0].GetHistogram().GetSampleCount() != 1 || labels(estimate[0]) != "format, source" {
		t.Errorf("%v", estimate)
	}
	for _, m := range families["iiifd_admission_charged_bytes"].GetMetric() {
		if m.GetLabel()[0].GetValue() == "idle" && m.GetGauge().GetValue() == 0 {
			t.Error("nothing is booked for the idle process")
		}
	}
	s.server.Drain()
	_, body := fetch(t, s.operator+"/metrics")
	if !strings.Contains(body, "\niiifd_ready 0\n") {
		t.Error("ready while draining")
	}
	checkLint(t, families, body)
	checkManual(t, families)
}

// checkLint asks promtool where it is installed, and always the rules that
// promtool is made of.
func checkLint(t *testing.T, families map[string]*dto.MetricFamily, scrape string) {
	t.Helper()
	problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(families))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	kept := false
	for _, p := range problems {
		if p.Metric == "iiifd_admission_permits_total" {
			kept = true
		} else {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	if !kept {
		t.Error("the lint does not even see what is wrong with iiifd_admission_permits_total")
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool (Debian package prometheus) is not installed: checked by its library alone")
		return
	}
	cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(scrape)
	out, _ := cmd.CombinedOutput() // It fails: see above.
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "iiifd_admission_permits_total ") {
			t.Errorf("promtool: %s", line)
		}
	}
}

// labels are the names of a metric's labels.
func labels(m *dto.Metric) string {
	var names []string
	for _, l := range m.GetLabel() {
		names = append(names, l.GetName())
	}
	return strings.Join(names, ", ")
}

func checkManual(t *testing.T, families map[string]*dto.MetricFamily) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(metricsHead)
	for _, name := range slices.Sorted(maps.Keys(families)) {
		f := families[name]
		if strings.HasPrefix(name, "iiifd_") {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, strings.ToLower(f.GetType().String()), labels(f.GetMetric()[0]), f.GetHelp())
		}
	}
	const file = "../../docs/metrics.md"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, b.Bytes()) {
		t.Error("docs/metrics.md is not what a started server shows; run 'make docs'")
	}
}
