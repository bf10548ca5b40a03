package iiif

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestConformancePage keeps docs/conformance.md honest: it lists every
// requirement once, and a test it names here exists and bears the number.
func TestConformancePage(t *testing.T) {
	page, err := os.ReadFile("../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	functions := testFunctions(t)
	row := regexp.MustCompile(`(?m)^\| (\d+) \|.*$`)
	named := regexp.MustCompile(`\bTest\w+`)
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
		names := named.FindAllString(line, -1)
		if len(names) == 0 && !strings.Contains(line, "server:") && !strings.Contains(line, "reason:") {
			t.Errorf("requirement %d has neither a test nor a reason", number)
		}
		bears := regexp.MustCompile(`\bR` + match[1] + `\b`)
		for _, name := range names {
			if body, found := functions[name]; !found || !bears.MatchString(body) {
				t.Errorf("requirement %d: %s does not exist or does not bear R%d", number, name, number)
			}
		}
	}
	for number := 1; number <= 172; number++ {
		if !seen[number] {
			t.Errorf("requirement %d is missing", number)
		}
	}
}

// testFunctions returns the source of each test of this package by name, from
// its comment up to the next test.
func testFunctions(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
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
