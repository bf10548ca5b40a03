// Command storm puts a running iiifd under an overload inside a memory
// cgroup and judges what its viewers, its bots and its memory went through.
//
//	storm -iiifd bin/iiifd [-long] [-limits 256Mi,512Mi,1Gi] [-phases storm,tiff,abuse,crash,rest] [-calm 1m] [-storm 10m] [-kills 200]
//
// It needs root for the cgroup and says so where it has to be skipped.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	binary   string
	replayer string
	limits   []string
	phases   []string
	calm     time.Duration
	storm    time.Duration
	kills    int
	requests int
	quitters int
	crawlers int
	corpus   string
	record   string
	cached   bool
	log      string
}

func parse() options {
	var o options
	var limits, phases string
	var long bool
	flag.StringVar(&o.binary, "iiifd", "bin/iiifd", "the server's program")
	flag.StringVar(&o.replayer, "replay", "bin/replay", "the tests of package admission, compiled, which replay arrivals")
	flag.StringVar(&limits, "limits", "256Mi,512Mi,1Gi", "memory limits, one run each")
	flag.StringVar(&phases, "phases", "storm,tiff,abuse,crash,rest", "what to run")
	flag.BoolVar(&long, "long", false, "a minute of calm, ten of storm, 200 crashes, 10,000 requests before a rest, for each limit, but for what is given besides")
	flag.DurationVar(&o.calm, "calm", 10*time.Second, "viewers alone, before the storm")
	flag.DurationVar(&o.storm, "storm", time.Minute, "viewers and bots")
	flag.IntVar(&o.kills, "kills", 10, "crashes")
	flag.IntVar(&o.requests, "requests", 2000, "requests of all sorts before a rest")
	flag.IntVar(&o.quitters, "quitters", 5000, "clients that disconnect")
	flag.IntVar(&o.crawlers, "crawlers", 200, "readers, and bodies, of one byte a second")
	flag.StringVar(&o.corpus, "corpus", "", "directory that keeps the large files (default: below the user's cache directory)")
	flag.StringVar(&o.record, "record", "", "file for the first storm's arrivals, for replays")
	flag.BoolVar(&o.cached, "cached", false, "let the derivative cache keep whole pictures, so that bots get most of them without a decode")
	flag.StringVar(&o.log, "log", "", "directory that keeps the servers' logs (default: none are kept)")
	flag.Parse()
	if long {
		given := make(map[string]bool)
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range map[string]string{"calm": "1m", "storm": "10m", "kills": "200", "requests": "10000"} {
			if !given[name] {
				_ = flag.Set(name, value) // They parse.
			}
		}
	}
	o.limits, o.phases = strings.Split(limits, ","), strings.Split(phases, ",")
	return o
}

// errSkip is why the storm cannot be run here.
var errSkip = errors.New("skipped")

func main() { os.Exit(judged(parse())) }

// judged runs everything, prints the report and the verdict, and returns the
// exit status.
func judged(o options) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report, err := run(ctx, o)
	fmt.Fprintln(os.Stdout, report.String())
	switch {
	case errors.Is(err, errSkip):
		fmt.Fprintln(os.Stdout, "SKIP:", err)
	case err != nil:
		fmt.Fprintln(os.Stdout, "FAIL:", err)
		return 1
	case report.failures > 0:
		fmt.Fprintf(os.Stdout, "FAIL: %d of %d checks\n", report.failures, report.checks)
		return 1
	default:
		fmt.Fprintf(os.Stdout, "PASS: %d checks\n", report.checks)
	}
	return 0
}

func run(ctx context.Context, o options) (*report, error) {
	r := newReport()
	for _, limit := range o.limits {
		g, err := newGroup(limit)
		if err != nil {
			return r, err
		}
		g.remove()
	}
	corpus, err := newCorpus(ctx, o.corpus)
	if err != nil {
		return r, err
	}
	defer corpus.remove()
	r.note("%s, %d processors, load %s before", runtime.Version(), runtime.NumCPU(), load())
	for i, limit := range o.limits {
		record := ""
		if i == 0 {
			record = o.record
		}
		for _, phase := range phases {
			if !slices.Contains(o.phases, phase.name) || ctx.Err() != nil {
				continue
			}
			progress("%s at %s", phase.name, limit)
			if err := phase.run(ctx, &stage{options: o, report: r, corpus: corpus, limit: limit, record: record}); err != nil {
				return r, fmt.Errorf("%s at %s: %w", phase.name, limit, err)
			}
		}
	}
	r.note("load %s after", load())
	return r, context.Cause(ctx)
}

// stage is what a phase runs on.
type stage struct {
	options
	report *report
	corpus *corpus
	limit  string
	record string
}

var phases = []struct {
	name string
	run  func(context.Context, *stage) error
}{
	{"storm", func(ctx context.Context, s *stage) error { return s.weather(ctx, allKinds) }},
	{"tiff", func(ctx context.Context, s *stage) error { return s.weather(ctx, allKinds[:1]) }},
	{"abuse", func(ctx context.Context, s *stage) error { return s.abuse(ctx) }},
	{"crash", func(ctx context.Context, s *stage) error { return s.crash(ctx) }},
	{"rest", func(ctx context.Context, s *stage) error { return s.rest(ctx) }},
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// load is the machine's load average, empty where it cannot be read.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
