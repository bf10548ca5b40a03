package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// report prints a line for each server and workload, with its ratios to
// iipsrv where that was measured too.
func report(w io.Writer, servers []*server, list []workload, results map[cell]*result) {
	fmt.Fprintln(w, "| workload | clients | server | req/s | CPU ms | p50 ms | p95 ms | p99 ms | peak MiB | KiB each | failed | rate × | CPU × | p99 × | memory × |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, load := range list {
		for _, clients := range []int{1, 8} {
			rival := results[cell{"iipsrv", load.name, clients}]
			for _, s := range servers {
				if r := results[cell{s.name, load.name, clients}]; r != nil {
					fmt.Fprintf(w, "| %s | %d | %s | %s | %s |\n", load.name, clients, s.name, figures(r), ratios(r, rival, s.name))
				}
			}
		}
	}
	fmt.Fprintln(w, "\nThe columns with × are multiples of iipsrv's figure (with its nginx) in the same row group; CPU × below 1 is cheaper.")
	for key, r := range results {
		if r.failed > 0 {
			fmt.Fprintf(w, "\n%s, %s, %d clients: %d failed, first %s\n", key.server, key.workload, key.clients, r.failed, r.firstFail)
		}
	}
}

func figures(r *result) string {
	n := max(1, len(r.latencies))
	return fmt.Sprintf("%.1f | %.2f | %.1f | %.1f | %.1f | %.0f | %.1f | %d",
		r.rate(), r.cpuMillis(), r.quantile(0.5), r.quantile(0.95), r.quantile(0.99),
		float64(r.rss)/(1<<20), float64(r.bytes)/1024/float64(n), r.failed)
}

func ratios(r, rival *result, name string) string {
	if rival == nil || name == "iipsrv" || len(r.latencies) == 0 || len(rival.latencies) == 0 {
		return "| | |"
	}
	over := func(a, b float64) string {
		if b == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f", a/b)
	}
	return strings.Join([]string{
		over(r.rate(), rival.rate()), over(r.cpuMillis(), rival.cpuMillis()),
		over(r.quantile(0.99), rival.quantile(0.99)), over(float64(r.rss), float64(rival.rss)),
	}, " | ")
}

// physical runs the loop over libtiff and libjpeg alone: what no server can
// be faster than.
func (c *config) physical(ctx context.Context, w io.Writer, images []photo) error {
	if c.limit == "" {
		return nil
	}
	largest := images[0]
	for _, p := range images {
		if p.kind == pyramid && p.width > largest.width {
			largest = p
		}
	}
	out, err := exec.CommandContext(ctx, c.limit, largest.path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", c.limit, err, out)
	}
	_, err = fmt.Fprintf(w, "\nThe libraries alone, one thread, a 256 px tile of %s:\n\n%s", largest.id, out)
	return err
}
