// Command bench measures iiifd beside Debian's iipimage-server, and any other
// server that runs already, on this machine and in one run: it makes a corpus,
// starts the servers, sends each the same requests in turns, and prints a
// Markdown table with ratios.
//
// No request is sent twice in a measurement, and iiifd keeps no derivatives,
// so what is compared is the making of pictures. Machines are shared: read
// the ratios and the CPU time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() { os.Exit(run()) }

func run() int {
	var c config
	c.flags(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// config holds the flags.
type config struct {
	binary    string
	corpus    string
	quick     bool
	rounds    int
	span      time.Duration
	copies    int
	workloads string
	others    templates
	without   bool
	limit     string
}

func (c *config) flags(f *flag.FlagSet) {
	user, err := os.UserCacheDir()
	if err != nil {
		user = os.TempDir()
	}
	f.StringVar(&c.binary, "iiifd", "bin/iiifd", "the program")
	f.StringVar(&c.corpus, "corpus", filepath.Join(user, "iiifd-testimages"), "folder that keeps the generated images between runs")
	f.BoolVar(&c.quick, "quick", false, "about two minutes: one short round")
	f.IntVar(&c.rounds, "rounds", 3, "rounds; in each every server gets every workload")
	f.DurationVar(&c.span, "span", 3*time.Second, "how long a server is measured at a time")
	f.IntVar(&c.copies, "copies", 16, "identifiers of each image")
	f.StringVar(&c.workloads, "workloads", "", "only workloads whose name contains one of these words, separated by commas")
	f.Var(&c.others, "server", "a further server as name=URL with {id} and {request}, such as x=http://localhost:8000/iiif/2/{id}/{request}; it must serve the corpus")
	f.BoolVar(&c.without, "without-iipsrv", false, "do not start iipimage-server")
	f.StringVar(&c.limit, "limit", "", "program that times libtiff and libjpeg alone on the large pyramid")
}

// templates are servers given by URL.
type templates []*server

func (t *templates) String() string { return "" }

func (t *templates) Set(text string) error {
	name, url, ok := strings.Cut(text, "=")
	if !ok || !strings.Contains(url, "{id}") || !strings.Contains(url, "{request}") {
		return errors.New("want name=URL with {id} and {request}")
	}
	*t = append(*t, &server{name: name, url: url, kinds: allKinds})
	return nil
}

func (c *config) run(ctx context.Context, out *os.File) (err error) {
	if c.quick {
		c.rounds, c.span = 1, time.Second
	}
	dir, err := os.MkdirTemp("", "iiifd-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	images, err := makeCorpus(ctx, c.corpus, filepath.Join(dir, "images"), c.copies)
	if err != nil {
		return err
	}
	servers, err := c.start(ctx, dir)
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	if err != nil {
		return err
	}
	results := make(map[cell]*result)
	for round := range c.rounds {
		for _, w := range chosen(c.workloads) {
			for _, clients := range []int{1, 8} {
				c.measure(ctx, results, servers, w, images, clients, round)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	fmt.Fprintf(out, "%s, %s/%s, %d cores, %d rounds of %v, %s\n\n", time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), c.rounds, c.span, load())
	report(out, servers, chosen(c.workloads), results)
	return c.physical(ctx, out, images)
}

// measure lets every server do a workload, in another order each round. All
// get the same requests.
func (c *config) measure(ctx context.Context, results map[cell]*result, servers []*server, w workload, images []photo, clients, round int) {
	for i := range servers {
		s := servers[(i+round)%len(servers)]
		if !slices.Contains(s.kinds, w.kind) {
			continue
		}
		key := cell{s.name, w.name, clients}
		if results[key] == nil {
			results[key] = &result{}
		}
		r := drive(ctx, s, w.requests(images, uint64(100*round+clients)), clients, c.span)
		results[key].add(r)
		fmt.Fprintf(os.Stderr, "%-28s %d  %-18s %7.1f/s %7.2f CPU ms  p99 %6.1f ms  %d failed\n", w.name, clients, s.name, r.rate(), r.cpuMillis(), r.quantile(0.99), r.failed)
	}
}

// load is the machine's load, which tells how much to trust the figures.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 3 {
		return "load unknown"
	}
	return "load " + strings.Join(fields[:3], " ")
}
