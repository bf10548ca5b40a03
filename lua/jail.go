package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

var (
	errOutside    = errors.New("path is outside the permitted directories")
	errNotRegular = errors.New("not a regular file")
)

// jail is the set of directories that scripts may read and write. Symbolic
// links that lead out of a directory are refused.
type jail struct{ roots []jailRoot }

type jailRoot struct {
	names []string // the directory as configured and without links
	root  *os.Root
}

// newJail opens the directories.
func newJail(dirs []string) (*jail, error) {
	j := &jail{}
	for _, dir := range dirs {
		name, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return nil, fmt.Errorf("lua: permitted directory: %w", err)
		}
		root, err := os.OpenRoot(real)
		if err != nil {
			return nil, fmt.Errorf("lua: permitted directory: %w", err)
		}
		j.roots = append(j.roots, jailRoot{names: []string{real, name}, root: root})
	}
	return j, nil
}

// locate returns the root that a path lies in and the path below it.
func (j *jail) locate(path string) (*os.Root, string, error) {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return nil, "", fs.ErrInvalid
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	var best *os.Root
	rel := ""
	for _, r := range j.roots {
		for _, name := range r.names {
			if below, ok := within(name, abs); ok && (best == nil || len(below) < len(rel)) {
				best, rel = r.root, below
			}
		}
	}
	if best == nil {
		return nil, "", errOutside
	}
	return best, rel, nil
}

// within returns the part of path below dir.
func within(dir, path string) (string, bool) {
	if path == dir {
		return ".", true
	}
	if dir != "/" {
		dir += "/"
	}
	return strings.CutPrefix(path, dir)
}

// open opens a regular file for reading.
func (j *jail) open(path string) (*os.File, error) {
	r, rel, err := j.locate(path)
	if err != nil {
		return nil, err
	}
	return regular(r.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)) // A FIFO would block.
}

// regular closes what is no regular file.
func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// create creates or truncates a file.
func (j *jail) create(path string) (*os.File, error) {
	r, rel, err := j.locate(path)
	if err != nil {
		return nil, err
	}
	return regular(r.OpenFile(rel, os.O_RDWR|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, 0o666))
}

func (j *jail) stat(path string) (fs.FileInfo, error) {
	r, rel, err := j.locate(path)
	if err != nil {
		return nil, err
	}
	return r.Stat(rel)
}

// path returns the place of a file without links, for what opens files by
// name. With create the file need not exist, but its directory must.
func (j *jail) path(path string, create bool) (string, error) {
	if _, _, err := j.locate(path); err != nil {
		return "", err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if create && errors.Is(err, fs.ErrNotExist) {
		var dir string
		if _, linkErr := os.Lstat(abs); linkErr == nil {
			return "", errOutside // a link to nothing could lead anywhere
		}
		dir, err = filepath.EvalSymlinks(filepath.Dir(abs))
		real = filepath.Join(dir, filepath.Base(abs))
	}
	if err != nil {
		return "", err
	}
	for _, r := range j.roots {
		if _, ok := within(r.names[0], real); ok {
			return real, nil
		}
	}
	return "", errOutside
}
