package render_test

import (
	"io"
	"testing"

	"example.com/iiifd/render"
)

// TestEstimateErrorIsMeasured: what a large decode took is compared with its
// estimate where it was the only work, and nothing else is.
func TestEstimateErrorIsMeasured(t *testing.T) {
	watched := 0
	r := newRig(t, nil)
	r.rebuild(func(d *render.Deps) {
		d.Threshold = 1
		d.WatchMemory = func() func() int64 {
			watched++
			return func() int64 { return 1 << 20 }
		}
	})
	open := func(request string) {
		t.Helper()
		a, err := r.Open(t.Context(), r.job(request))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open("2048x2048/full/max/0/default.jpg")
	if n := r.measured(); n != 1 || watched != 1 {
		t.Errorf("%d measured, %d watched", n, watched)
	}
	release := r.hold(1)
	open("2048x2049/full/max/0/default.jpg")
	release()
	if n := r.measured(); n != 1 || watched != 1 {
		t.Errorf("beside other work: %d measured, %d watched", n, watched)
	}
	open("2048x2050/full/max/0/default.jpg")
	if n := r.measured(); n != 2 || watched != 2 {
		t.Errorf("alone again: %d measured, %d watched", n, watched)
	}
	r.rebuild(func(d *render.Deps) { d.Threshold = 1 << 40 })
	open("2048x2051/full/max/0/default.jpg")
	if n := r.measured(); n != 2 || watched != 2 {
		t.Errorf("small work: %d measured, %d watched", n, watched)
	}
}

// measured counts the estimates that were compared with what work took.
func (r *rig) measured() uint64 {
	r.t.Helper()
	families, err := r.registry.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "iiifd_admission_estimate_error_ratio" {
			return f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
	}
	r.t.Fatal("no such metric")
	return 0
}
