package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrawingEndsWithItsRequest: a drawing of few bytes that would take
// minutes gives its permit back when its request's time is over.
func TestDrawingEndsWithItsRequest(t *testing.T) {
	dir, _ := picture(t)
	filter := strings.Repeat(`<feTurbulence baseFrequency="0.9" numOctaves="20" result="a"/><feMorphology in="a" operator="dilate" radius="40"/>`, 400)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000"><filter id="f">` + filter + `</filter><rect width="2000" height="2000" filter="url(#f)"/></svg>`
	if err := os.WriteFile(filepath.Join(dir, "slow.svg"), []byte(svg), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir, "--request-timeout=4s", "--queue-timeout-tile=1s", "--queue-timeout-full=1s", "--body-read-timeout=1s")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+"/iiif/3/slow.svg/full/256,/0/default.jpg", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d", resp.StatusCode)
	}
	await(t, "the permit", func() bool {
		snapshot := s.admission.Snapshot()
		return snapshot.Threads.InUse == 0 && snapshot.Budget.InUseBytes == 0
	})
	families, err := s.telemetry.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	killed := 0.0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "iiifd_decode_drawings_total" && m.GetLabel()[0].GetValue() == "killed" {
				killed = m.GetCounter().GetValue()
			}
		}
	}
	if killed != 1 {
		t.Errorf("%v drawings were killed", killed)
	}
}
