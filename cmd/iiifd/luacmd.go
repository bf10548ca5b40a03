package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/iiifd/lua"
)

func luaCommand() *command {
	return &command{
		name: "lua", usage: "check FILE…", summary: "names what in a Lua script will not run here, and why",
		long: "FILE is a .lua or .elua script, written for this server or for SIPI. Nothing is run. Errors do not run, or stop where they are;\n" +
			"notes mark what behaves differently from SIPI. Exit status 1 where there are errors. --json prints one JSON document.",
		run: runLua,
	}
}

func runLua(_ context.Context, p *program, args []string) error {
	asJSON, args := cutJSON(args)
	if len(args) < 2 || args[0] != "check" {
		return usagef("needs check and at least one FILE")
	}
	findings := []lua.Finding{}
	for _, file := range args[1:] {
		found, err := lua.Check(file)
		if err != nil {
			return err
		}
		findings = append(findings, found...)
	}
	bad := 0
	for _, f := range findings {
		if f.Severity == lua.SeverityError {
			bad++
		}
		if !asJSON {
			fmt.Fprintln(p.stdout, f)
		}
	}
	var failed error
	if bad > 0 {
		failed = fmt.Errorf("%d of these will not run", bad)
	}
	if asJSON {
		return errors.Join(writeJSON(p.stdout, findings), failed)
	}
	return failed
}
