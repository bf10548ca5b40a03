//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// reference is the name of the image that the validator asks for.
const reference = "67352ccc-d1b0-11e1-89ae-279075081939.png"

// faults are the validator's tests, by version, that fail here, each with
// the reason. One that passes must be taken off the list.
var faults = map[string]map[string]string{
	"2.0": {
		"format_webp": onPython3, "format_jp2": onPython3, "format_pdf": onPython3,
	},
	"3.0": {
		"format_webp": onPython3, "format_jp2": onPython3, "format_pdf": onPython3,
		"size_up": "wants ^max to give the original size and ^2000, to work: scaling up needs a limit above the original, and ^max goes up to it " +
			"(Image API 3.0, 4.2)",
		"size_noup": "wants !2000,3000 refused: it must be as large as possible but not larger than the region (Image API 3.0, 4.2)",
	},
}

const onPython3 = "calls urllib.urlopen, which Python 3 does not have"

// python returns the interpreter of an environment that holds the validator,
// made where it is missing.
func python(t *testing.T) string {
	t.Helper()
	wanted, err := os.ReadFile("requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root(t), ".cache", "e2e", "python")
	bin := filepath.Join(dir, "bin", "python3")
	made := filepath.Join(dir, "requirements.txt")
	if have, err := os.ReadFile(made); err == nil && string(have) == string(wanted) {
		return bin
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", dir},
		{bin, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	if err := os.WriteFile(made, wanted, 0o600); err != nil {
		t.Fatal(err)
	}
	return bin
}

// drawReference writes the validator's image: ten by ten squares in the
// colours that it expects.
func drawReference(t *testing.T, python, path string) {
	t.Helper()
	const script = "import json; from iiif_validator.validator import ValidationInfo; print('colours', json.dumps(ValidationInfo().colorInfo))"
	out, err := exec.CommandContext(t.Context(), python, "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The validator prints on import.
	found := regexp.MustCompile(`(?m)^colours (.*)$`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("no colours: %s", out)
	}
	var colours [10][10][3]uint8
	if err := json.Unmarshal(found[1], &colours); err != nil {
		t.Fatal(err)
	}
	const side = 100
	m := image.NewNRGBA(image.Rect(0, 0, 10*side, 10*side))
	for x, column := range colours {
		for y, c := range column {
			r := image.Rect(x*side, y*side, (x+1)*side, (y+1)*side)
			draw.Draw(m, r, image.NewUniform(color.NRGBA{R: c[0], G: c[1], B: c[2], A: 255}), image.Point{}, draw.Src)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, m), f.Close()); err != nil {
		t.Fatal(err)
	}
}

var verdict = regexp.MustCompile(`(?m)^\[\d+\] test (\w+) (PASS|FAIL)((?:\n  .*)*)`)

// TestValidator runs the official validator for both versions at each level;
// 3 is its name for the optional features.
func TestValidator(t *testing.T) {
	interpreter := python(t)
	dir := t.TempDir()
	drawReference(t, interpreter, filepath.Join(dir, reference))
	host, _ := serve(t, dir)
	for version, path := range map[string]string{"2.0": "iiif/2", "3.0": "iiif/3"} {
		before := 0
		for level := range 4 {
			t.Run(fmt.Sprintf("%s level %d", version, level), func(t *testing.T) {
				script := filepath.Join(filepath.Dir(interpreter), "iiif-validate.py")
				// The exit status counts failures, expected ones too.
				out, _ := exec.CommandContext(t.Context(), interpreter, script, "--server", host, "--prefix", path,
					"--identifier", reference, "--version", version, "--level", strconv.Itoa(level)).CombinedOutput()
				ran := verdict.FindAllStringSubmatch(string(out), -1)
				if len(ran) <= before && level < 3 || len(ran) == 0 {
					t.Fatalf("only %d tests ran:\n%s", len(ran), out)
				}
				before = len(ran)
				for _, v := range ran {
					name, failed, why := v[1], v[2] == "FAIL", v[3]
					reason, expected := faults[version][name]
					switch {
					case failed && !expected:
						t.Errorf("%s fails:%s", name, why)
					case !failed && expected:
						t.Errorf("%s passes, against what is listed: %s", name, reason)
					}
				}
				t.Logf("%d tests", len(ran))
			})
		}
	}
}
