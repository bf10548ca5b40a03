package header

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/iiifd/decode/plan"
)

// TestAgreesWithLibvips compares what the readers say with what vipsheader
// prints, for the files here and the project's sample images.
func TestAgreesWithLibvips(t *testing.T) {
	tool, err := exec.LookPath("vipsheader")
	if err != nil {
		t.Skip("vipsheader is not installed")
	}
	files, _ := filepath.Glob("testdata/*.*")
	samples, _ := filepath.Glob("../../testimages/images/*.*")
	compared := 0
	for _, file := range append(files, samples...) {
		if strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".md") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), tool, "-a", file).Output()
			if err != nil {
				t.Skip("libvips cannot open it")
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := readBytes(b, -1)
			if errors.Is(err, ErrUnknown) && (s.Loader == plan.LoaderPDF || s.Loader == plan.LoaderSVG) {
				t.Skip("has no header reader")
			}
			if err != nil {
				t.Fatal(err)
			}
			compare(t, vipsFields(out), s)
			compared++
		})
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}

func vipsFields(out []byte) map[string]string {
	fields := make(map[string]string)
	for line := range bytes.Lines(out) {
		if name, value, ok := strings.Cut(string(bytes.TrimSpace(line)), ": "); ok {
			fields[name] = value
		}
	}
	return fields
}

func compare(t *testing.T, v map[string]string, s plan.Shape) {
	t.Helper()
	equal := func(what string, got int) {
		t.Helper()
		if want, err := strconv.Atoi(v[what]); err == nil && want != got {
			t.Errorf("%s is %d, libvips has %d", what, got, want)
		}
	}
	equal("width", s.Width)
	equal("height", s.Height)
	// Lab of 8 bits comes packed into four bytes, three channels all the same.
	if v["coding"] != "labq" {
		equal("bands", s.Bands)
	}
	orientation := 1
	if n, err := strconv.Atoi(v["orientation"]); err == nil {
		orientation = n
	}
	if s.Orientation != orientation {
		t.Errorf("orientation is %d, libvips has %d", s.Orientation, orientation)
	}
	// libvips counts a TIFF's levels and a JP2's resolutions as pages.
	if s.Loader != plan.LoaderTIFF && s.Loader != plan.LoaderJP2 {
		equal("n-pages", s.Pages)
	}
	if s.Loader == plan.LoaderJXL {
		return // libjxl makes profiles of its own
	}
	icc, _, _ := strings.Cut(v["icc-profile-data"], " ")
	if n, err := strconv.ParseInt(icc, 10, 64); err == nil && n != s.ICCBytes {
		t.Errorf("profile of %d bytes, libvips has %d", s.ICCBytes, n)
	} else if err != nil && s.ICCBytes != 0 {
		t.Errorf("profile of %d bytes, libvips has none", s.ICCBytes)
	}
}
