package option

import (
	"fmt"
	"io"
	"strings"
)

// WriteManual writes the options as a Markdown reference, by group in the
// order of declaration.
func (s *Set) WriteManual(w io.Writer) error {
	var b strings.Builder
	group := ""
	for _, o := range s.options {
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, "\n## %s\n\n| flag | environment | file key | kind | default | |\n|---|---|---|---|---|---|\n", group)
		}
		def := o.Default
		if def == "" {
			def = "–"
		} else {
			def = "`" + def + "`"
		}
		help := new(strings.Builder)
		help.WriteString(o.Help)
		if o.Reloadable {
			help.WriteString(" *(reloadable)*")
		}
		for _, a := range o.aliases {
			help.WriteString(" Also read from `" + a.env + "`.")
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | `%s` | %s | %s | %s |\n",
			o.Name, o.Env(), o.Key(), strings.ReplaceAll(o.Kind, "|", ", "), def, strings.ReplaceAll(help.String(), "|", "\\|"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteUsage writes the options for a terminal: flag, default and help, by
// group in the order of declaration.
func (s *Set) WriteUsage(w io.Writer) error {
	var b strings.Builder
	group := ""
	for _, o := range s.options {
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, "\n%s\n", group)
		}
		kind := " " + o.Kind
		if o.Kind == "bool" {
			kind = "[=true|false]"
		}
		fmt.Fprintf(&b, "  --%s%s\n        %s", o.Name, kind, o.Help)
		if o.Default != "" {
			fmt.Fprintf(&b, " (default %s)", o.Default)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
