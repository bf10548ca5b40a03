// Package iiifd_test holds the project's boundaries: which package may
// import which, with the reason.
package iiifd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/iiifd/"

// arrows lists, for each package, which of our own packages its code may
// import. A package that is missing here has no place in the house yet.
var arrows = map[string][]string{
	"option":        {},
	"iiif":          {},
	"decode/plan":   {"iiif"},
	"decode/header": {"decode/plan"},
	"admission":     {"iiif", "option"},
	"source":        {"option"},
	"cache":         {"option"},
	"auth":          {"iiif"},
	"decode":        {"decode/plan", "decode/header", "source", "iiif", "option"},
	"lua":           {"auth", "iiif", "option", "lua/syntax", "lua/pattern", "lua/exif"},
	"lua/syntax":    {},
	"lua/pattern":   {},
	"lua/exif":      {},
	"docroot":       {"option"},
	"render":        {"iiif", "decode/plan", "admission", "source", "cache", "auth", "option"},
	"server":        {"render", "auth", "lua", "docroot", "admission", "cache", "iiif", "decode/plan", "source", "option"},
	"metrics":       {"option"},
}

// reasons are the imports that a package must never have, however indirect.
var reasons = []struct{ packages, forbidden, why string }{
	{"iiif decode/plan decode/header", "os", "planning is pure: the same facts give the same plan"},
	{"iiif decode/plan decode/header", "net", "planning is pure: the same facts give the same plan"},
	{"iiif decode/plan decode/header", "net/http", "planning is pure: the same facts give the same plan"},
	{"admission", "net/http", "admission decides; it does not answer"},
	{
		"option iiif decode/plan decode/header admission source cache auth lua docroot render server metrics",
		"github.com/davidbyttow/govips/v2/vips", "decode alone touches libvips",
	},
	{
		"option iiif decode/plan decode/header admission source cache auth render",
		"github.com/yuin/gopher-lua", "scripts are lua's",
	},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

func packages(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps,CgoFiles", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]pkg)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p
	}
}

func TestArrows(t *testing.T) {
	for name, p := range packages(t) {
		if strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "testimages") || strings.HasPrefix(name, "tests/") || name == "decode/estimatecheck" || name == "example.com/iiifd" {
			continue // They may see everything.
		}
		allowed, known := arrows[name]
		if !known {
			t.Errorf("%s: not on the map; ARCHITECTURE.md and this test say where packages belong", name)
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, module)
			if isOurs && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s; it may import %v", name, ours, allowed)
			}
		}
		if len(p.CgoFiles) > 0 && name != "decode" {
			t.Errorf("%s has cgo files %v; decode alone touches C", name, p.CgoFiles)
		}
	}
}

func TestForbiddenDependencies(t *testing.T) {
	all := packages(t)
	for _, r := range reasons {
		for name := range strings.FieldsSeq(r.packages) {
			p := all[name]
			// What fmt or a metrics library imports inside does not count.
			deps := p.Deps
			if !strings.Contains(r.forbidden, ".") {
				deps = p.Imports
			}
			if slices.Contains(deps, r.forbidden) {
				t.Errorf("%s depends on %s: %s", name, r.forbidden, r.why)
			}
		}
	}
}
