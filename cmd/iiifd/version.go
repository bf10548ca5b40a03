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

// version is the release and revision the commit; the build sets them.
var version, revision = "dev", ""

// build is what the version command tells.
type build struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"`
	Go      string   `json:"go"`
	Target  string   `json:"target"`
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
	b := build{Version: version, Commit: commit(), Go: runtime.Version(), Target: runtime.GOOS + "/" + runtime.GOARCH, Vips: engine.Version()}
	for _, l := range engine.Loaders() {
		b.Loaders = append(b.Loaders, string(l))
	}
	for _, f := range engine.Formats() {
		b.Savers = append(b.Savers, string(f))
	}
	if asJSON {
		return writeJSON(p.stdout, b)
	}
	_, err = fmt.Fprintf(p.stdout, "iiifd %s\ncommit %s\n%s %s\nlibvips %s\nreads %s\nwrites %s\n", b.Version, b.Commit, b.Go, b.Target, b.Vips,
		strings.Join(b.Loaders, " "), strings.Join(b.Savers, " "))
	return err
}

// commit is the revision that the build was made of, with a + where the tree
// had changes: what the build was told, else what the go command has found.
func commit() string {
	if revision != "" {
		return revision
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "unknown", ""
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
