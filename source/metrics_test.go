package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"example.com/iiifd/source"
)

// failing is a source that cannot be reached.
type failing struct{ source.Source }

func (failing) Stat(ctx context.Context, _ string) (source.Info, error) {
	if err := context.Cause(ctx); err != nil {
		return source.Info{}, err
	}
	return source.Info{}, errors.New("unreachable")
}

func TestMeasured(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := source.NewDirectory(root, source.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	reg := prometheus.NewRegistry()
	m := source.NewMetrics(reg)
	src := m.Measured(dir)
	if info, err := src.Stat(t.Context(), "a"); err != nil || info.Size != 5 {
		t.Errorf("%+v, %v", info, err)
	}
	obj, err := src.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := obj.Close(); err != nil {
		t.Error(err)
	}
	if _, err := src.Open(t.Context(), "b"); !errors.Is(err, source.ErrNotFound) {
		t.Error(err)
	}
	broken := m.Measured(failing{})
	if _, err := broken.Stat(t.Context(), "a"); err == nil {
		t.Error("no error")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := broken.Stat(gone, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if f.GetType() != dto.MetricType_COUNTER {
			continue
		}
		for _, c := range f.GetMetric() {
			got[c.GetLabel()[0].GetValue()+" "+c.GetLabel()[1].GetValue()] = c.GetCounter().GetValue()
		}
	}
	want := map[string]float64{
		"stat ok": 1, "open ok": 1, "open not_found": 1, "stat failed": 1, "stat client_gone": 1,
		"stat not_found": 0, "open failed": 0, "open client_gone": 0,
	}
	for name, n := range want {
		if v, ok := got[name]; !ok || v != n {
			t.Errorf("%s: %v, want %v", name, v, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}
