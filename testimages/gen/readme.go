package main

import (
	_ "embed"
	"fmt"
	"strings"

	"example.com/iiifd/testimages"
)

//go:embed readme.txt
var readmeHead string

// readme is the folder's README: a text and a table of the manifest.
func readme() string {
	var b strings.Builder
	b.WriteString(readmeHead)
	b.WriteString("\n| file | size | samples | pages | shows |\n|---|---|---|---|---|\n")
	for _, f := range testimages.All() {
		kind := fmt.Sprintf("%d × %d bit %s", f.Bands, f.Bits, f.Colour)
		if f.Float {
			kind += " float"
		}
		shows := f.Shows
		if n := len(f.Levels); n > 0 {
			shows += fmt.Sprintf("; %d levels", n)
		}
		if !f.Readable {
			shows += "; not read by libvips 8.14"
		}
		fmt.Fprintf(&b, "| `%s` | %d×%d | %s | %d | %s |\n", f.Name, f.Width, f.Height, kind, f.Pages, shows)
	}
	return b.String()
}
