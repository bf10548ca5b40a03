package main

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	metricscollector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracecollector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector receives OTLP over HTTP, as an OpenTelemetry collector does.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	metrics map[string]bool
	spans   []*tracepb.Span
	service string
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: make(map[string]bool)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzip, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		body = unzip
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path == "/v1/metrics" {
		var m metricscollector.ExportMetricsServiceRequest
		if err := proto.Unmarshal(raw, &m); err != nil {
			return err
		}
		for _, resource := range m.GetResourceMetrics() {
			for _, scope := range resource.GetScopeMetrics() {
				for _, metric := range scope.GetMetrics() {
					c.metrics[metric.GetName()] = true
				}
			}
		}
		return nil
	}
	var s tracecollector.ExportTraceServiceRequest
	if err := proto.Unmarshal(raw, &s); err != nil {
		return err
	}
	for _, resource := range s.GetResourceSpans() {
		c.service = values(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	return nil
}

// values are a span's attributes as text.
func values(attributes []*commonpb.KeyValue) map[string]string {
	out := make(map[string]string, len(attributes))
	for _, a := range attributes {
		text := a.GetValue().GetStringValue()
		if text == "" {
			text = strings.TrimSpace(a.GetValue().String())
		}
		out[a.GetKey()] = text
	}
	return out
}

// trace returns the request's span and its stages by name.
func (c *collector) trace(t *testing.T, id string) (request *tracepb.Span, stages map[string]*tracepb.Span) {
	t.Helper()
	stages = make(map[string]*tracepb.Span)
	for _, s := range c.spans {
		if hex.EncodeToString(s.GetTraceId()) == id && s.GetKind() == tracepb.Span_SPAN_KIND_SERVER {
			request = s
		}
	}
	if request == nil {
		t.Fatalf("no span of a request in trace %s", id)
	}
	for _, s := range c.spans {
		if hex.EncodeToString(s.GetTraceId()) != id || s == request {
			continue
		}
		if string(s.GetParentSpanId()) != string(request.GetSpanId()) {
			t.Errorf("%s does not lie below the request", s.GetName())
		}
		if stages[s.GetName()] != nil {
			t.Errorf("%s came twice", s.GetName())
		}
		if s.GetStartTimeUnixNano() < request.GetStartTimeUnixNano() || s.GetEndTimeUnixNano() > request.GetEndTimeUnixNano() {
			t.Errorf("%s lies outside the request's time", s.GetName())
		}
		stages[s.GetName()] = s
	}
	return request, stages
}

// names are the stages in alphabetical order.
func names(stages map[string]*tracepb.Span) string {
	return strings.Join(slices.Sorted(maps.Keys(stages)), " ")
}

const (
	callerSpan  = "00f067aa0ba902b7"
	tileTrace   = "4bf92f3577b34da6a3ce929d0e0e4736"
	secondTrace = "4bf92f3577b34da6a3ce929d0e0e4737"
	largeTrace  = "4bf92f3577b34da6a3ce929d0e0e4738"
	wrongTrace  = "4bf92f3577b34da6a3ce929d0e0e4739"
)

// traced sends a request as part of a trace.
func traced(t *testing.T, url, trace string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-"+trace+"-"+callerSpan+"-01")
	req.Header.Set("Authorization", "Bearer not-a-known-key")
	req.Header.Set("User-Agent", "a client's own words")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// TestTelemetry starts a service beside a collector and looks at what it is
// sent: the metrics of /metrics by the same names, and whole traces.
func TestTelemetry(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "3600000") // The last push at the end is the one.
	dir, _ := picture(t)
	vast(t, dir)
	s := start(t, dir)
	tile := s.base + "/iiif/3/a.png/0,0,100,80/50,40/0/default.jpg"
	for i, want := range []struct {
		url, trace string
		status     int
	}{
		{tile, tileTrace, http.StatusOK},
		{tile, secondTrace, http.StatusOK},
		{s.base + "/iiif/3/vast.png/full/max/90/default.png", largeTrace, http.StatusRequestEntityTooLarge},
		{s.base + "/iiif/3/a.png/full/max/0/default.xyz", wrongTrace, http.StatusBadRequest},
		{s.base + "/livez", strings.Repeat("ab", 16), http.StatusOK},
	} {
		if got := traced(t, want.url, want.trace); got != want.status {
			t.Fatalf("request %d: status %d, want %d", i, got, want.status)
		}
	}
	families, err := s.telemetry.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	s.stop(t)

	for _, f := range families {
		if !c.metrics[f.GetName()] {
			t.Errorf("%s was not pushed", f.GetName())
		}
		delete(c.metrics, f.GetName())
	}
	for name := range c.metrics {
		if strings.HasPrefix(name, "iiifd_") {
			t.Errorf("%s was pushed and is not on /metrics", name)
		}
	}
	if c.service != "iiifd" {
		t.Errorf("service %q", c.service)
	}
	checkTraces(t, c)
}

func checkTraces(t *testing.T, c *collector) {
	t.Helper()
	request, stages := c.trace(t, tileTrace)
	if got := hex.EncodeToString(request.GetParentSpanId()); got != callerSpan {
		t.Errorf("the caller's span is %q", got)
	}
	if got := names(stages); got != "acquire authorize cache decode parse plan stat write" {
		t.Errorf("stages of a tile: %s", got)
	}
	a := values(request.GetAttributes())
	if request.GetName() != "GET image" || a["http.route"] != "image" || a["iiifd.cache"] != "decoded" || a["iiifd.lane"] != "tile" || a["http.response.status_code"] != "int_value:200" {
		t.Errorf("%s %v", request.GetName(), a)
	}
	if a := values(stages["acquire"].GetAttributes()); a["iiifd.lane"] != "tile" || a["iiifd.lane_url"] != "tile" || a["iiifd.lane_engine"] != "tile" || a["iiifd.estimate_bytes"] == "" || a["iiifd.wait_ms"] == "" {
		t.Errorf("acquire: %v", a)
	}
	if a := values(stages["cache"].GetAttributes()); a["iiifd.cache"] != "decoded" {
		t.Errorf("cache: %v", a)
	}

	_, stages = c.trace(t, secondTrace)
	if got := names(stages); got != "authorize cache parse plan stat write" {
		t.Errorf("stages of a cached tile: %s", got)
	}
	if a := values(stages["cache"].GetAttributes()); a["iiifd.cache"] == "" || a["iiifd.cache"] == "decoded" {
		t.Errorf("cache: %v", a)
	}

	request, stages = c.trace(t, largeTrace)
	if got := names(stages); got != "acquire authorize cache parse plan stat" {
		t.Errorf("stages of a refused download: %s", got)
	}
	for name, span := range map[string]*tracepb.Span{"request": request, "acquire": stages["acquire"], "cache": stages["cache"]} {
		if a := values(span.GetAttributes()); a["iiifd.code"] != "request_exceeds_budget" {
			t.Errorf("%s: %v", name, a)
		}
	}
	if a := values(stages["acquire"].GetAttributes()); a["iiifd.lane"] != "full" || a["iiifd.lane_engine"] != "full" {
		t.Errorf("acquire: %v", a)
	}
	if stages["acquire"].GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR || request.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Error("a refusal is the stage's error and not the server's")
	}

	_, stages = c.trace(t, wrongTrace)
	if got := names(stages); got != "parse" {
		t.Errorf("stages of a wrong request: %s", got)
	}
	for _, span := range c.spans {
		for key, value := range values(span.GetAttributes()) {
			for _, secret := range []string{"127.0.0.1", "not-a-known-key", "own words", "k_"} {
				if strings.Contains(value, secret) {
					t.Errorf("%s: %s=%s tells about the client", span.GetName(), key, value)
				}
			}
		}
		if strings.Contains(span.GetName(), "health") {
			t.Error("a health check was traced")
		}
	}
}

// TestTraceOfAScript: a route has the stages that its script goes through.
func TestTraceOfAScript(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	dir, _ := picture(t)
	scripts := t.TempDir()
	for name, text := range map[string]string{
		"init.lua": "routes = { { method = 'GET', route = '/make', script = 'make.lua' } }",
		"make.lua": "local ok, img = SipiImage.new(config.imgroot .. '/a.png') server.print(tostring(img:write(config.tmpdir .. '/x.jpg')))",
	} {
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, dir, "--script-dir", scripts, "--init-script", "init.lua")
	if got := traced(t, s.base+"/make", tileTrace); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	s.stop(t)
	stages := make(map[string]*tracepb.Span) // Each image that a script opens has its own.
	for _, span := range c.spans {
		if hex.EncodeToString(span.GetTraceId()) == tileTrace && span.GetKind() != tracepb.Span_SPAN_KIND_SERVER {
			stages[span.GetName()] = span
		}
	}
	if got := names(stages); got != "acquire decode plan stat write" {
		t.Errorf("stages of a script: %s", got)
	}
	if a := values(stages["acquire"].GetAttributes()); a["iiifd.lane"] != "full" || a["iiifd.wait_ms"] == "" {
		t.Errorf("acquire: %v", a)
	}
}
