package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if isCell() {
		os.Exit(runCell(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// TestNothingTakesMoreThanItsPrice measures a small part of the corpus, with
// a fixed seed.
func TestNothingTakesMoreThanItsPrice(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and decodes files for some tens of seconds")
	}
	if _, err := exec.LookPath("vips"); err != nil {
		t.Skip("the vips command is not installed")
	}
	c := config{kinds: "jpeg-420,jpeg-progressive-444,png-rgba,strip-lzw,onestrip-none,pyramid-jpeg-256,pyramid-subifd,jp2-tiled-512,webp-lossy"}
	files, err := makeCorpus(t.Context(), t.TempDir(), []size{{1201, 903}}, nil, c.kinds)
	if err != nil {
		t.Fatal(err)
	}
	cells := append(listed(files, nil, 3), randomCells(files, 20, 42)...)
	cells = append(cells, together(randomCells(files, 12, 43), 44)...)
	results, err := runCells(t.Context(), cells, 2, 20*time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for _, r := range results {
		if r.Refused != "" {
			t.Logf("%s %s: %s", r.File, r.Params, r.Refused)
			continue
		}
		measured++
		if !r.covered() {
			t.Errorf("%s %s took %d bytes, priced at %d: %+v", r.File, r.Params, r.Real, r.Estimate, r.Parts)
		}
	}
	if measured < len(cells)*9/10 {
		t.Errorf("%d of %d requests were measured", measured, len(cells))
	}
}

func TestReport(t *testing.T) {
	mb := func(n int64) int64 { return n * mib }
	good := []result{
		{Kind: "a", Real: mb(20), Estimate: mb(25)},
		{Kind: "a", Real: mb(2), Estimate: mb(9)},
		{Kind: "b", Real: mb(100), Estimate: mb(160)},
		{Kind: "b", Refused: "too slow"},
	}
	var out bytes.Buffer
	if !report(&out, good, true) {
		t.Error("nothing was under-estimated, but the report says so")
	}
	for _, want := range []string{"not measured", "100.0%   66.7%", "1.60 real 100.0 estimate 160.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if report(&out, append(good, result{Kind: "c", Real: mb(5), Estimate: mb(4)}), false) {
		t.Error("an under-estimate passed")
	}
	if report(&out, nil, false) {
		t.Error("an empty run passed")
	}
}

func TestSizeList(t *testing.T) {
	var l sizeList
	if err := l.Set("10x20,300x4"); err != nil || len(l) != 2 || l[1] != (size{300, 4}) || l.String() != "10x20,300x4" {
		t.Errorf("%v, %v", l, err)
	}
	for _, bad := range []string{"10", "x", "0x5", "5x-1"} {
		if l.Set(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
