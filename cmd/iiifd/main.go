// Command iiifd is a IIIF image server and the tools for the people who run
// it. See "iiifd help".
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"example.com/iiifd/decode"
	"example.com/iiifd/lua"
	"example.com/iiifd/option"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// program is one run of the command, so that tests can start the same code.
type program struct {
	args    []string // without the program's name
	environ []string
	stdout  io.Writer
	stderr  io.Writer
	// reload delivers a value for every SIGHUP.
	reload <-chan os.Signal
}

// command is a sub-command.
type command struct {
	name    string
	usage   string // the arguments, as in "[SOURCE]"
	summary string
	long    string
	run     func(ctx context.Context, p *program, args []string) error
	// options declares what "help" lists; nil where there are none.
	options func() *option.Set
	// configured tells that the options of serve are taken too.
	configured bool
}

// usageError is a wrong use of the command line; it exits with 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

func main() {
	if len(os.Args) == 2 && os.Args[1] == lua.WorkerCommand {
		os.Exit(runWorker())
	}
	if len(os.Args) == 2 && os.Args[1] == decode.DrawCommand {
		os.Exit(runDrawing())
	}
	os.Exit(runProgram())
}

// runProgram runs the command line until it is done or a signal ends it.
func runProgram() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // A second signal ends the process at once.
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	p := &program{args: os.Args[1:], environ: os.Environ(), stdout: os.Stdout, stderr: os.Stderr, reload: reload}
	return p.run(ctx)
}

// runWorker runs scripts for the server that started this process. It comes
// before all else, which would cost each worker its memory.
func runWorker() int {
	if err := lua.WorkerMain(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return exitDone
}

// runDrawing makes one drawing for the server that started this process.
func runDrawing() int {
	if err := decode.DrawMain(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return exitDone
}

// run executes the command line and returns the exit status.
func (p *program) run(ctx context.Context) int {
	name, rest := "help", []string(nil)
	if len(p.args) > 0 {
		name, rest = p.args[0], p.args[1:]
	}
	if name == "-h" || name == "--help" {
		name = "help"
	}
	if name == "--version" {
		name = "version"
	}
	c := find(name)
	if c == nil {
		fmt.Fprintf(p.stderr, "iiifd: %s\nRun 'iiifd help' for the list.\n", noCommand(name))
		return exitUsage
	}
	if wantsHelp(rest) {
		return p.exit(c, describe(p.stdout, c))
	}
	return p.exit(c, c.run(ctx, p, rest))
}

// exit reports an error and returns the status for it.
func (p *program) exit(c *command, err error) int {
	if err == nil {
		return exitDone
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(p.stderr, "iiifd %s: %s\n", c.name, line)
	}
	if isUsage(err) {
		if c.name == "help" {
			fmt.Fprint(p.stderr, "Run 'iiifd help' for the list.\n")
			return exitUsage
		}
		fmt.Fprintf(p.stderr, "Run 'iiifd help %s'.\n", c.name)
		return exitUsage
	}
	return exitFailed
}

// noCommand says that there is no such command, and which one is close.
func noCommand(name string) string {
	text := fmt.Sprintf("no command %q", name)
	if best := option.Nearest(name, commandNames()); best != "" {
		text += fmt.Sprintf("; did you mean %q?", best)
	}
	return text
}

func wantsHelp(args []string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == "-h" || a == "--help" {
			return true
		}
	}
	return false
}
