package iiif

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestConformancePage keeps docs/conformance.md honest: it lists every
// requirement once, and a test or script it names exists and bears the
// number.
func TestConformancePage(t *testing.T) {
	page, err := os.ReadFile("../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	functions := testFunctions(t, ".")
	served := testFunctions(t, "../server")
	maps.Copy(served, scripts(t))
	row := regexp.MustCompile(`(?m)^\| (\d+) \|.*$`)
	named := regexp.MustCompile(`\bTest\w+`)
	quoted := regexp.MustCompile("`(Test\\w+|\\d\\d-[\\w-]+)`")
	seen := map[int]bool{}
	for _, match := range row.FindAllStringSubmatch(string(page), -1) {
		line := match[0]
		number, err := strconv.Atoi(match[1])
		if err != nil {
			t.Fatal(err)
		}
		if seen[number] {
			t.Errorf("requirement %d is listed twice", number)
		}
		seen[number] = true
		here, there, overHTTP := strings.Cut(line, "server:")
		names := named.FindAllString(here, -1)
		if len(names) == 0 && !overHTTP && !strings.Contains(line, "reason:") {
			t.Errorf("requirement %d has neither a test nor a reason", number)
		}
		bears := regexp.MustCompile(`\bR` + match[1] + `\b`)
		for _, name := range names {
			if body, found := functions[name]; !found || !bears.MatchString(body) {
				t.Errorf("requirement %d: %s does not exist or does not bear R%d", number, name, number)
			}
		}
		names = quoted.FindAllString(there, -1)
		if overHTTP && len(names) == 0 {
			t.Errorf("requirement %d names neither script nor test of the server", number)
		}
		for _, name := range names {
			if body, found := served[strings.Trim(name, "`")]; !found || !bears.MatchString(body) {
				t.Errorf("requirement %d: the server's %s does not exist or does not bear R%d", number, name, number)
			}
		}
	}
	for number := 1; number <= 172; number++ {
		if !seen[number] {
			t.Errorf("requirement %d is missing", number)
		}
	}
}

// scripts returns the titles of each script of the server by its name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../server/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	title := regexp.MustCompile(`(?m)^#.*$`)
	titles := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		titles[strings.TrimSuffix(filepath.Base(file), ".txt")] = strings.Join(title.FindAllString(string(text), -1), "\n")
	}
	return titles
}

// testFunctions returns the source of each test of a folder by name, from
// its comment up to the next test.
func testFunctions(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)(?:^//.*\n)*^func (Test\w+)\(`)
	functions := map[string]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := start.FindAllStringSubmatchIndex(string(source), -1)
		for i, m := range at {
			end := len(source)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			functions[string(source[m[2]:m[3]])] = string(source[m[0]:end])
		}
	}
	return functions
}
