package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"example.com/iiifd/admission"
)

var update = flag.Bool("update", false, "write the generated documents")

const manualHead = "# Configuration\n\nDefaults < file (`--config`) < environment < flags. Sizes take K, M, G, T, Ki … and KiB …, all binary; durations a unit\n" +
	"(`500ms`, `10s`, `2m`). `iiifd config explain` prints each effective value and where it came from. Further paths are mounted in the\n" +
	"file:\n\n```toml\n[[mount]]\npath = \"/maps\"        # identifiers stand below it\nversion = 2           # of the Image API, 3 by default\n" +
	"dir = \"maps\"          # a directory, absolute or below the served one; the served one by default\npublic = \"/img\"       # what clients see where a proxy maps it; path by default\n```\n\n" +
	"Lua routes stand there too ([Lua scripts](lua.md)); SIPI's `[[routes]]` with `route` for `path` are read as well:\n\n```toml\n[[route]]\nmethod = \"POST\"        # GET, HEAD, POST, PUT, DELETE or OPTIONS\n" +
	"path = \"/upload\"       # and everything below it\nscript = \"upload.lua\"  # in script_dir\n```\n\n" +
	"This page is generated from the declarations (`make docs`).\n"

// The manual is made of the declarations, so it cannot be wrong.
func TestManual(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(manualHead)
	if err := newConfig().set.WriteManual(&b); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/configuration.md"
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
		t.Error("docs/configuration.md is not what the declarations say; run 'make docs'")
	}
}

// Operators look up codes and endpoints there.
func TestOperatorsPagesAreComplete(t *testing.T) {
	admissionPage, err := os.ReadFile("../../docs/admission.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range append(admission.Codes(), admission.CodeClientGone) {
		if !bytes.Contains(admissionPage, []byte("`"+string(code)+"`")) {
			t.Errorf("docs/admission.md does not tell of %s", code)
		}
	}
	operatorPage, err := os.ReadFile("../../docs/operator.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := picture(t)
	_, index := fetch(t, start(t, dir).operator+"/")
	for path := range strings.FieldsSeq(index) {
		if path = strings.TrimSuffix(path, "/ID"); strings.HasPrefix(path, "/") && !bytes.Contains(operatorPage, []byte(path)) {
			t.Errorf("docs/operator.md does not tell of %s", path)
		}
	}
}
