// Command estimatecheck compares what plans say they cost (plan.Plan.Peak)
// with what they take: it makes a corpus of image files with the vips
// command, carries out requests on them, each in a process of its own, and
// prints how often and how far the estimate was off.
//
// It exits with status 1 if any request took more than its estimate.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	if isCell() {
		os.Exit(runCell(os.Stdin, os.Stdout))
	}
	var c config
	c.flags(flag.CommandLine)
	flag.Parse()
	os.Exit(c.exitStatus())
}

// exitStatus does all the work, which an interrupt ends.
func (c *config) exitStatus() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := c.run(ctx)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "estimatecheck:", err)
		return 2
	case !ok:
		return 1
	}
	return 0
}

// config holds the flags.
type config struct {
	dir      string
	sizes    sizeList
	large    sizeList
	kinds    string
	params   string
	ops      int
	random   int
	together int
	seed     uint64
	jobs     int
	cellMax  time.Duration
	allMax   time.Duration
	out      string
	again    string
	verbose  bool
}

func (c *config) flags(f *flag.FlagSet) {
	f.StringVar(&c.dir, "dir", "", "folder that keeps the corpus between runs; a temporary one if empty")
	c.sizes = sizeList{{1500, 1100}, {6000, 4500}}
	f.Var(&c.sizes, "sizes", "picture sizes for every kind, such as 1500x1100,6000x4500")
	f.Var(&c.large, "large", "picture sizes for the kinds that occur large, such as 20000x15000")
	f.StringVar(&c.kinds, "kinds", "", "only kinds whose name contains one of these words, separated by commas")
	f.StringVar(&c.params, "params", "", "these requests instead of the listed ones, separated by blanks")
	f.IntVar(&c.ops, "ops", 0, "how many of the listed requests each file gets, rotating; 0 for all")
	f.IntVar(&c.random, "random", 200, "how many random requests follow")
	f.IntVar(&c.together, "together", 100, "how many further random requests are carried out two to eight at once")
	f.Uint64Var(&c.seed, "seed", 0, "seed of the random requests; 0 draws one")
	f.IntVar(&c.jobs, "jobs", 1, "processes at once")
	f.DurationVar(&c.cellMax, "cell-time", time.Minute, "longest time for one request; it is left out after that")
	f.DurationVar(&c.allMax, "time", time.Hour, "longest time for everything; the rest is left out after that")
	f.StringVar(&c.out, "out", "", "file for one JSON line per request")
	f.StringVar(&c.again, "again", "", "file of an earlier -out: measure nothing, price its requests again (on the files in -dir)")
	f.BoolVar(&c.verbose, "v", false, "print every request out of the band with its parts")
}

func (c *config) run(ctx context.Context) (bool, error) {
	if c.again != "" {
		results, err := priceAgain(c.dir, c.again)
		if err != nil {
			return false, err
		}
		return report(os.Stdout, results, c.verbose), nil
	}
	if c.seed == 0 {
		c.seed = rand.Uint64()>>1 | 1
	}
	ctx, cancel := context.WithTimeout(ctx, c.allMax)
	defer cancel()
	dir := c.dir
	if dir == "" {
		temp, err := os.MkdirTemp("", "estimatecheck")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(temp)
		dir = temp
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	files, err := makeCorpus(ctx, dir, c.sizes, c.large, c.kinds)
	if err != nil {
		return false, err
	}
	cells := listed(files, strings.Fields(c.params), c.ops)
	cells = append(cells, randomCells(files, c.random, c.seed)...)
	cells = append(cells, together(randomCells(files, c.together, c.seed+1), c.seed)...)
	fmt.Printf("%d files, %d requests, seed %d\n", len(files), len(cells), c.seed)
	results, err := runCells(ctx, cells, c.jobs, c.cellMax, c.out)
	if err != nil {
		return false, err
	}
	return report(os.Stdout, results, c.verbose), nil
}
