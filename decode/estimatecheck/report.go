package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

const mib = 1 << 20

// ratio is estimate over reality.
func (r result) ratio() float64 { return float64(r.Estimate) / float64(r.Real) }

func (r result) covered() bool { return r.Real <= r.Estimate }

// inBand tells that the estimate is neither below reality nor far above it.
func (r result) inBand() bool {
	return r.covered() && float64(r.Estimate) <= max(1.5*float64(r.Real), float64(r.Real)+8*mib)
}

// summary is a set of results in figures.
type summary struct {
	n                                    int
	covered, inBand                      int
	median, p95, least, most, largeCount float64
	largeMedian                          float64
	worst                                result
}

func summarize(rs []result) summary {
	s := summary{n: len(rs)}
	var ratios, large []float64
	for _, r := range rs {
		ratios = append(ratios, r.ratio())
		if r.Real > 16*mib {
			large = append(large, r.ratio())
		}
		if r.covered() {
			s.covered++
		}
		if r.inBand() {
			s.inBand++
		}
	}
	slices.Sort(ratios)
	slices.Sort(large)
	s.median, s.p95 = quantile(ratios, 0.5), quantile(ratios, 0.95)
	s.least, s.most = ratios[0], ratios[len(ratios)-1]
	s.largeMedian, s.largeCount = quantile(large, 0.5), float64(len(large))
	s.worst = slices.MinFunc(rs, func(a, b result) int { return cmp.Compare(a.ratio(), b.ratio()) })
	return s
}

func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

// report prints the figures and tells whether nothing was under-estimated.
func report(w io.Writer, results []result, verbose bool) bool {
	var rs []result
	for _, r := range results {
		if r.Refused != "" {
			fmt.Fprintf(w, "not measured: %s %s: %s\n", r.File, r.Params, r.Refused)
			continue
		}
		rs = append(rs, r)
	}
	if len(rs) == 0 {
		fmt.Fprintln(w, "nothing measured")
		return false
	}
	byKind := map[string][]result{}
	for _, r := range rs {
		byKind[r.Kind] = append(byKind[r.Kind], r)
	}
	const row = "%-26s %4d %6.1f%% %6.1f%%  %5.2f %5.2f %5.2f %6.2f  %s\n"
	fmt.Fprintf(w, "%-26s %4s %7s %7s  %5s %5s %5s %6s  %s\n", "kind", "n", "covered", "in band", "med", "p95", "min", "max", "lowest")
	names := make([]string, 0, len(byKind))
	for name := range byKind {
		names = append(names, name)
	}
	slices.Sort(names)
	line := func(name string, rs []result) summary {
		s := summarize(rs)
		fmt.Fprintf(w, row, name, s.n, 100*float64(s.covered)/float64(s.n), 100*float64(s.inBand)/float64(s.n),
			s.median, s.p95, s.least, s.most, s.worst.File+" "+s.worst.Params)
		return s
	}
	for _, name := range names {
		line(name, byKind[name])
	}
	all := line("all", rs)
	if single := alone(rs); len(single) > 0 && len(single) < len(rs) {
		line("all, one at a time", single)
	}
	fmt.Fprintf(w, "above 16 MiB: n=%.0f median %.2f\n", all.largeCount, all.largeMedian)
	printTime(w, rs)
	if verbose {
		printOutliers(w, rs)
	}
	return all.covered == all.n
}

// alone leaves out the groups, for which only the sum must hold: how far the
// peaks of several requests meet is no matter of their prices.
func alone(rs []result) []result {
	return slices.DeleteFunc(slices.Clone(rs), func(r result) bool { return r.Kind == groupKind })
}

// printTime compares the seconds; they are a coarse price, so only the spread
// is shown.
func printTime(w io.Writer, rs []result) {
	var ratios []float64
	for _, r := range rs {
		if r.CPU > 0.05 {
			ratios = append(ratios, r.Seconds/r.CPU)
		}
	}
	slices.Sort(ratios)
	fmt.Fprintf(w, "seconds estimated / used, above 50 ms: n=%d p5 %.2f median %.2f p95 %.2f\n",
		len(ratios), quantile(ratios, 0.05), quantile(ratios, 0.5), quantile(ratios, 0.95))
}

func printOutliers(w io.Writer, rs []result) {
	slices.SortFunc(rs, func(a, b result) int { return cmp.Compare(a.ratio(), b.ratio()) })
	for _, r := range rs {
		if r.inBand() {
			continue
		}
		fmt.Fprintf(w, "%.2f real %.1f estimate %.1f MiB %s %s:", r.ratio(), float64(r.Real)/mib, float64(r.Estimate)/mib, r.File, r.Params)
		for _, p := range r.Parts {
			fmt.Fprintf(w, " %s %.1f", p.Stage, float64(p.Bytes)/mib)
		}
		fmt.Fprintln(w)
	}
}
