package main

import (
	"fmt"
	"regexp"
	"strings"

	"example.com/iiifd/option"
)

// keyLines are the lines, from 1, on which a TOML file's keys stand: "listen",
// and "mount 2 path" for path in the second [[mount]]; "mount 2" and "server"
// are the lines of the headers [[mount]] and [server].
type keyLines map[string]int

var (
	tomlHeader = regexp.MustCompile(`^\s*\[\[?\s*["']?([^]"']+?)["']?\s*\]`)
	tomlKey    = regexp.MustCompile(`^\s*["']?([A-Za-z0-9_.-]+)["']?\s*=`)
)

// readLines finds the keys of a file that the TOML decoder has accepted, which
// tells no lines itself. A key in what it does not see through, such as an
// inline table, has none.
func readLines(text string) keyLines {
	lines := make(keyLines)
	table, multi := "", ""
	seen := make(map[string]int)
	for n, line := range strings.Split(text, "\n") {
		if multi != "" { // Within a text of several lines nothing is a key.
			if strings.Contains(line, multi) {
				multi = ""
			}
			continue
		}
		if m := tomlHeader.FindStringSubmatch(line); m != nil {
			table = m[1]
			if strings.HasPrefix(strings.TrimSpace(line), "[[") {
				seen[table]++
				table = fmt.Sprintf("%s %d", table, seen[table])
			}
			lines.note(table, n+1)
		} else if m := tomlKey.FindStringSubmatch(line); m != nil {
			lines.note(strings.TrimSpace(table+" "+m[1]), n+1)
		}
		for _, quotes := range []string{`"""`, `'''`} {
			if strings.Count(line, quotes)%2 == 1 {
				multi = quotes
			}
		}
	}
	return lines
}

func (l keyLines) note(path string, line int) {
	if l[path] == 0 {
		l[path] = line
	}
}

// of returns the line of a key, or of the first table of that name; 0 where
// it is not known.
func (l keyLines) of(key string) int {
	if line := l[key]; line > 0 {
		return line
	}
	return l[key+" 1"]
}

// fault is an error about a key of a table; a key that is missing has the
// table's line.
func (l keyLines) fault(table, key, reason string) error {
	line := l[table+" "+key]
	if line == 0 {
		line = l[table]
	}
	return &option.Error{Key: key, Reason: reason, Line: line}
}
