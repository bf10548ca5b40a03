package main

import (
	"context"
	"fmt"
	"text/tabwriter"
)

func configCommand() *command {
	return &command{
		name: "config", usage: "check [DIRECTORY] | explain | manual", summary: "checks the configuration, or prints every value and where it came from",
		long: "check    tells all that serve would refuse to start with: settings, files, directories, addresses, memory, the init script,\n" +
			"         which is run once. A taken address is no fault, since the server may be running. Exit status 1 and the reasons\n" +
			"         where something is wrong\n" +
			"explain  prints each effective value and its origin; --json for one JSON document\n" +
			"manual   prints the reference of all options as Markdown",
		run:        runConfig,
		configured: true,
	}
}

// setting is one value of "config explain --json".
type setting struct {
	Name        string `json:"name"`
	Environment string `json:"environment"`
	Value       string `json:"value"`
	Default     string `json:"default"`
	Origin      string `json:"origin"`
	Reloadable  bool   `json:"reloadable"`
}

func runConfig(ctx context.Context, p *program, args []string) error {
	asJSON, args := cutJSON(args)
	cfg, rest, err := loadConfig(args, p.environ)
	if err != nil {
		return err
	}
	if len(rest) == 0 || len(rest) > 2 || len(rest) == 2 && rest[0] != "check" {
		return usagef("needs one of check, explain, manual")
	}
	switch rest[0] {
	case "check":
		for _, w := range cfg.Warnings {
			fmt.Fprintf(p.stderr, "warning: %s: %s\n", w.Key, w.Reason)
		}
		dir := "."
		if len(rest) == 2 {
			dir = rest[1]
		}
		if err := rehearse(ctx, cfg, dir); err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stdout, "ok")
		return err
	case "explain":
		return explainConfig(p, cfg, asJSON)
	case "manual":
		return cfg.set.WriteManual(p.stdout)
	}
	return usagef("needs one of check, explain, manual, not %q", rest[0])
}

func explainConfig(p *program, cfg *config, asJSON bool) error {
	if asJSON {
		var all []setting
		for _, o := range cfg.set.All() {
			all = append(all, setting{o.Name, o.Env(), o.Value(), o.Default, string(o.Origin), o.Reloadable})
		}
		return writeJSON(p.stdout, all)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, o := range cfg.set.All() {
		value := o.Value()
		if value == "" {
			value = `""`
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", o.Name, value, o.Origin)
	}
	for _, m := range cfg.Mounts {
		fmt.Fprintf(w, "mount %s\tversion %d, dir %q\tfile\n", m.Path, m.Version, m.Dir)
	}
	for _, r := range cfg.Lua.Routes {
		fmt.Fprintf(w, "route %s %s\t%s\tfile\n", r.Method, r.Path, r.Script)
	}
	return w.Flush()
}
