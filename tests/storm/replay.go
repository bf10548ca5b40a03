package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// replay lets admission's tests play a storm's arrivals in simulated time and
// compare what basic mode foresees with what advanced mode sheds.
func (s *stage) replay(ctx context.Context, arrivals string) {
	cmd := exec.CommandContext(ctx, s.replayer, "-test.run", "^TestReplay$", "-test.v")
	cmd.Env = append(os.Environ(), "STORM_ARRIVALS="+arrivals, "STORM_LIMIT="+s.limit)
	said, err := cmd.CombinedOutput()
	var results []string
	for line := range strings.Lines(string(said)) {
		if _, result, found := strings.Cut(line, "replay: "); found {
			results = append(results, strings.TrimSpace(result))
		}
	}
	text := strings.Join(results, "; ")
	if err != nil {
		text += " (" + err.Error() + ")"
	}
	if err != nil && len(results) == 0 {
		text += " " + strings.TrimSpace(string(said))
	}
	s.report.check(err == nil && len(results) > 0, "replay at %s: %s", s.limit, text)
}
