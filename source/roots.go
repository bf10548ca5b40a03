package source

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Roots finds the directory that a path on disk lies in. It is filled before
// it is used and not changed afterwards.
type Roots struct{ roots []root }

type root struct {
	names  []string // as given and without links
	source Source
}

// Add makes what lies below a directory reachable through src, which serves it.
func (r *Roots) Add(dir string, src Source) error {
	name, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	r.roots = append(r.roots, root{names: []string{name, real}, source: src})
	return nil
}

// Find returns the source and the identifier that a path stands for: those of
// the innermost directory, the first added of equal ones. ok is false for a
// path outside of all. Whether there is such a file, Stat tells.
func (r *Roots) Find(path string) (src Source, identifier string, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, "", false
	}
	for _, root := range r.roots {
		for _, name := range root.names {
			below, inside := strings.CutPrefix(path, strings.TrimSuffix(name, "/")+"/")
			if inside && (!ok || len(below) < len(identifier)) {
				src, identifier, ok = root.source, below, true
			}
		}
	}
	return src, identifier, ok
}
