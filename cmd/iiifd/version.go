package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"example.com/iiifd/decode"
)

// version is the release; the build sets it.
var version = "dev"

// build is what the version command tells.
type build struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit,omitempty"`
	Go      string   `json:"go"`
	Vips    string   `json:"libvips"`
	Loaders []string `json:"loaders"`
	Savers  []string `json:"savers"`
}

func versionCommand() *command {
	return &command{
		name: "version", summary: "prints version, commit, Go, libvips and the formats read and written",
		long: "With --json one JSON document.",
		run:  runVersion,
	}
}

func runVersion(_ context.Context, p *program, args []string) error {
	asJSON, rest := cutJSON(args)
	if len(rest) > 0 {
		return usagef("takes no arguments")
	}
	cfg := newConfig()
	engine, err := decode.Start(cfg.Decode, quiet(), nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	b := build{Version: version, Commit: commit(), Go: runtime.Version(), Vips: engine.Version()}
	for _, l := range engine.Loaders() {
		b.Loaders = append(b.Loaders, string(l))
	}
	for _, f := range engine.Formats() {
		b.Savers = append(b.Savers, string(f))
	}
	if asJSON {
		return writeJSON(p.stdout, b)
	}
	commit := ""
	if b.Commit != "" { // A build outside a checkout knows none.
		commit = "commit " + b.Commit + "\n"
	}
	_, err = fmt.Fprintf(p.stdout, "iiifd %s\n%s%s\nlibvips %s\nreads %s\nwrites %s\n", b.Version, commit, b.Go, b.Vips,
		strings.Join(b.Loaders, " "), strings.Join(b.Savers, " "))
	return err
}

// commit is the revision that the build was made of, with a + where the tree
// had changes.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+"
		}
	}
	return revision + dirty
}

// cutJSON takes --json out of the arguments of a command that reports.
func cutJSON(args []string) (bool, []string) {
	rest := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--json" || a == "-json" })
	return len(rest) < len(args), rest
}
