package main

import (
	"strings"
	"testing"
)

// The options are listed once, under headings; the other commands point there.
func TestHelpIsReadable(t *testing.T) {
	_, serve, _ := invoke(t, nil, "help", "serve")
	for _, want := range []string{"\nHTTP\n", "\nCache\n", "--landing[=true|false]", "IIIFD_QUEUE_MAX"} {
		if !strings.Contains(serve, want) {
			t.Errorf("help serve lacks %q", want)
		}
	}
	for _, c := range commands() {
		status, text, _ := invoke(t, nil, "help", c.name)
		if lines := strings.Count(text, "\n"); status != 0 || (c.name != "serve" && lines > 25) {
			t.Errorf("help %s: status %d, %d lines", c.name, status, lines)
		}
		if _, again, _ := invoke(t, nil, c.name, "--help"); again != text {
			t.Errorf("%s --help differs from help %s", c.name, c.name)
		}
	}
}
