package server

import (
	"fmt"
	"path/filepath"
	"strings"

	"example.com/iiifd/auth"
	"example.com/iiifd/render"
	"example.com/iiifd/source"
)

// Shown is what a decision shows of an identifier: the image, and how.
type Shown struct {
	Source      source.Source
	Identifier  string
	Policy      string
	Restriction render.Restriction
}

// Show returns what a decision that grants shows of a mount's identifier. It
// fails where the decision names a file outside of roots, and with
// source.ErrNotFound where it passes on an identifier's empty, "." or ".."
// elements, which lead to no file without hooks either.
func Show(roots *source.Roots, m Mount, identifier string, d auth.Decision) (Shown, error) {
	shown := Shown{Source: m.Source, Identifier: identifier}
	if d.Path != "" {
		// A rule such as "what begins with restricted/" reads the identifier,
		// and must not be avoided by another name of the same file.
		if crooked(identifier) && crooked(strings.TrimPrefix(d.Path, "/")) {
			return Shown{}, source.ErrNotFound
		}
		src, id, ok := roots.Find(d.Path)
		if !ok {
			return Shown{}, fmt.Errorf("the hook's path lies outside of what may be served: %s", d.Path)
		}
		if id == identifier && src == m.Source {
			d.Path = "" // It is where the identifier leads anyway.
		}
		shown.Source, shown.Identifier = src, id
	}
	if d.Kind == auth.Restrict {
		shown.Restriction.Size = d.Size
		var err error
		if shown.Restriction.Mark, err = markFile(roots, d.Watermark); err != nil {
			return Shown{}, err
		}
	}
	shown.Policy = d.Policy()
	return shown, nil
}

// crooked tells whether a path has elements that lead nowhere or back.
func crooked(path string) bool {
	for element := range strings.SplitSeq(path, "/") {
		if element == "" || element == "." || element == ".." {
			return true
		}
	}
	return false
}

// markFile is the place of a watermark without links, "" for none.
func markFile(roots *source.Roots, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("watermark: %w", err)
	}
	if _, _, ok := roots.Find(real); !ok {
		return "", fmt.Errorf("the watermark lies outside of what may be served: %s", path)
	}
	return real, nil
}
