package main

import (
	"fmt"
	"strings"
	"time"
)

// report gathers the results as Markdown.
type report struct {
	text     strings.Builder
	rows     []string
	checks   int
	failures int
}

func newReport() *report { return &report{} }

func (r *report) note(format string, args ...any) {
	fmt.Fprintf(&r.text, format+"\n\n", args...)
}

// check judges a number and writes it down.
func (r *report) check(ok bool, format string, args ...any) {
	r.checks++
	word := "ok  "
	if !ok {
		word = "FAIL"
		r.failures++
	}
	line := fmt.Sprintf("- %s %s\n", word, fmt.Sprintf(format, args...))
	r.text.WriteString(line)
	progress("%s", strings.TrimSpace(line))
}

// row adds a line to the table of storms.
func (r *report) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
	}
	r.rows = append(r.rows, "| "+strings.Join(texts, " | ")+" |\n")
}

// String is the whole report.
func (r *report) String() string {
	if len(r.rows) == 0 {
		return r.text.String()
	}
	head := "| bots on | limit | calm p50/p99 ms | tile p50/p95/p99/max ms | tiles 200 % | in time % | fulls done | per 15 s | OOM kills | peak RSS MiB | peak cgroup MiB |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n"
	return head + strings.Join(r.rows, "") + "\n" + r.text.String()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
