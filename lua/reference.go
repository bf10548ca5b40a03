package lua

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// WriteReference writes the generated part of docs/lua.md: every function
// and field that scripts find, how each compares with SIPI's, and what SIPI
// or Lua 5.3 has and is not here.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("## Reference\n\n")
	for _, t := range functionTables() {
		fmt.Fprintf(&b, "### %s\n\n", t.title)
		for _, f := range t.bindings {
			fmt.Fprintf(&b, "- %s — %s\n", signature(f), f.doc)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "Of Lua's own: `%s`.\n\n", strings.Join(keptNames(), "`, `"))
	b.WriteString("### Fields\n\n")
	for _, f := range fields() {
		fmt.Fprintf(&b, "- `%s` — %s\n", f.name, f.doc)
	}
	b.WriteString("\n## Compared with SIPI 7\n\n| name | here |\n|---|---|\n")
	for _, t := range functionTables() {
		for _, f := range t.bindings {
			fmt.Fprintf(&b, "| `%s` | %s |\n", tableCell(f.name), comparison(f.sipi))
		}
	}
	for _, name := range keptNames() {
		how, special := keptComparison[name]
		if !special {
			how = "same"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, comparison(how))
	}
	for _, f := range fields() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.name, comparison(f.sipi))
	}
	names := make([]string, 0, len(absent))
	for name := range absent {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !strings.HasPrefix(absent[name], "is 2^53") && !strings.HasPrefix(absent[name], "is -2^53") {
			fmt.Fprintf(&b, "| `%s` | absent: %s |\n", name, absent[name])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// keptComparison tells of gopher-lua's functions which ones are not "same".
var keptComparison = map[string]string{
	"unpack": "", "math.atan2": "", "math.cosh": "", "math.frexp": "", "math.ldexp": "", "math.log10": "",
	"math.pow": "", "math.sinh": "", "math.tanh": "",
	"ipairs":   "different: does not consult `__index`",
	"tostring": "different: whole numbers are written without `.0`, others in the fewest digits that read back; infinity is `+Inf`",
}

func comparison(sipi string) string {
	if sipi == "" {
		return "not in SIPI"
	}
	return sipi
}

func signature(f binding) string {
	if strings.Trim(f.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:") != "" {
		return "`_G[\"" + f.name + "\"](" + f.args + ")`"
	}
	return "`" + f.name + "(" + f.args + ")`"
}

// tableCell keeps a bar from ending a cell.
func tableCell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
