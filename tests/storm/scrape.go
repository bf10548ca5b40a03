package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
)

// keptName is a gauge that other servers' dashboards know by this name, which
// promtool would have end otherwise.
const keptName = "iiifd_admission_permits_total"

// lint scrapes the server's metrics and returns what promtool has to say
// against them, "" for nothing.
func (p *process) lint(ctx context.Context) string {
	scrape, err := read(ctx, p.operator+"/metrics")
	if err != nil {
		return err.Error()
	}
	cmd := exec.CommandContext(ctx, "promtool", "check", "metrics")
	cmd.Stdin = bytes.NewReader(scrape)
	said, err := cmd.CombinedOutput()
	var against []string
	for line := range strings.Lines(string(said)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, keptName+" ") {
			against = append(against, line)
		}
	}
	if len(against) == 0 && err != nil && len(said) == 0 {
		return err.Error()
	}
	return strings.Join(against, "; ")
}
