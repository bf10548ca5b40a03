package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"example.com/iiifd/testimages"
)

// line is what an access log line says of a decision.
type line struct {
	Time      time.Time `json:"time"`
	Msg       string    `json:"msg"`
	RequestID string    `json:"request_id"`
	Path      string    `json:"path"`
	Duration  float64   `json:"duration_ms"`
	Lane      string    `json:"lane"`
	URL       string    `json:"lane_url"`
	Estimate  int64     `json:"estimate_bytes"`
	Wait      float64   `json:"wait_ms"`
	Code      string    `json:"code"`
}

func milliseconds(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }

func (l *line) arrived() time.Time { return l.Time.Add(-milliseconds(l.Duration)) }

// writeArrivals writes what asked for admission during a storm as a table
// that admission's tests replay: arrival in ms, client, lane by the URL,
// estimate in bytes and processor seconds, the time the work took in ms (0
// where it was refused), and what became of it.
func (s *stage) writeArrivals(ctx context.Context, logFile, table string) error {
	seconds, err := s.seconds(ctx)
	if err != nil {
		return err
	}
	decisions, err := os.Open(logFile)
	if err != nil {
		return err
	}
	defer decisions.Close()
	var all []line
	lines := bufio.NewScanner(decisions)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Msg == "request" && l.Lane != "" {
			all = append(all, l)
		}
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		return fmt.Errorf("%s: %d decisions, %w", logFile, len(all), err)
	}
	slices.SortStableFunc(all, func(a, b line) int { return a.arrived().Compare(b.arrived()) })
	var b strings.Builder
	began := all[0].arrived()
	b.WriteString("at_ms,client,lane_url,estimate_bytes,seconds,service_ms,result\n")
	for _, l := range all {
		client, _, _ := strings.Cut(l.RequestID, "-")
		service, work := l.Duration-l.Wait, 0.0
		if l.URL == "full" {
			for kind, estimate := range seconds {
				if strings.Contains(l.Path, string(kind)) {
					work = estimate
				}
			}
		}
		if l.Code != "" {
			service = 0
		}
		fmt.Fprintf(&b, "%d,%s,%s,%d,%.2f,%.0f,%s\n", l.arrived().Sub(began).Milliseconds(), client, l.URL, l.Estimate, work, service, cmp.Or(l.Code, "admitted"))
	}
	return os.WriteFile(table, []byte(b.String()), 0o644)
}

// seconds asks the server's program what whole pictures cost.
func (s *stage) seconds(ctx context.Context) (map[testimages.LargeKind]float64, error) {
	out := make(map[testimages.LargeKind]float64)
	for _, kind := range allKinds {
		text, err := exec.CommandContext(ctx, s.binary, "estimate", "--json", s.corpus.dir+"/"+identifier(kind, 0), "full/max/0/default.jpg").Output()
		if err != nil {
			return nil, err
		}
		var estimate struct{ Seconds float64 }
		if err := json.Unmarshal(text, &estimate); err != nil {
			return nil, err
		}
		out[kind] = estimate.Seconds
	}
	return out, nil
}
