package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/iiifd/option"
)

// commands lists all sub-commands in the order of the help.
func commands() []*command {
	return []*command{
		serveCommand(), renderCommand(), estimateCommand(), explainCommand(), cacheCommand(), configCommand(), luaCommand(), healthCommand(), versionCommand(), helpCommand(),
	}
}

func find(name string) *command {
	for _, c := range append(commands(), measureCommand()) {
		if c.name == name {
			return c
		}
	}
	return nil
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// isUsage tells whether an error is a wrong use of the command line rather
// than a failure.
func isUsage(err error) bool {
	if _, ok := errors.AsType[*usageError](err); ok {
		return true
	}
	setting, ok := errors.AsType[*option.Error](err)
	return ok && len(setting.Key) > 2 && setting.Key[:2] == "--"
}

func helpCommand() *command {
	return &command{
		name: "help", usage: "[COMMAND]", summary: "explains a command",
		run: func(_ context.Context, p *program, args []string) error {
			if len(args) == 0 {
				return overview(p.stdout)
			}
			c := find(args[0])
			if c == nil {
				return usagef("%s", noCommand(args[0]))
			}
			return describe(p.stdout, c)
		},
	}
}

func overview(w io.Writer) error {
	fmt.Fprint(w, "iiifd is a IIIF image server (Image API 3.0 and 2.1).\n\n  iiifd serve DIRECTORY    serves the images below a directory\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	_, err := fmt.Fprint(w, "\nRun 'iiifd help COMMAND' for one of them.\n")
	return err
}

func describe(w io.Writer, c *command) error {
	usage := []string{"iiifd", c.name}
	if c.options != nil || c.configured {
		usage = append(usage, "[OPTIONS]")
	}
	if c.usage != "" {
		usage = append(usage, c.usage)
	}
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", strings.Join(usage, " "), sentence(c.summary))
	if c.long != "" {
		fmt.Fprintf(w, "\n%s\n", c.long)
	}
	if c.configured {
		_, err := fmt.Fprint(w, "\nIt takes the options of 'iiifd serve' too, such as --config FILE; 'iiifd help serve' lists them.\n")
		return err
	}
	if c.options == nil {
		return nil
	}
	fmt.Fprint(w, "\nOptions. Each can also be given as environment variable (--queue-max as IIIFD_QUEUE_MAX) or as key of the\n"+
		"configuration file (queue_max).\n")
	return c.options().WriteUsage(w)
}

func sentence(s string) string {
	return "It " + s + "."
}
