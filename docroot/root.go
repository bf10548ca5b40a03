package docroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// indexes are the files that stand for their directory, in order: the first
// that exists is taken. A hand-written page wins over a generated one.
var indexes = []string{"index.html", "index.elua", "index.lua"}

// Root is the operator's static tree. It may be used by several goroutines
// at once.
//
// Files are reached through os.Root: neither a path nor a symbolic link leads
// out of the tree. A relative link that stays inside is followed, also to a
// name with a leading dot, which is how Kubernetes mounts a ConfigMap;
// absolute links are refused wherever they lead.
type Root struct {
	config Config
	gzip   *gzipPool

	mu   sync.Mutex
	tree *os.Root    // guarded by mu; nil where there is no docroot
	info fs.FileInfo // guarded by mu; of tree, to notice that it was replaced
}

// New opens the docroot that cfg names. It fails where the directory cannot
// be opened or cfg is not valid. Without a docroot it returns a Root that
// finds nothing.
func New(cfg Config) (*Root, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := &Root{config: cfg, gzip: newGzipPool()}
	if cfg.Docroot == "" {
		return r, nil
	}
	absolute, err := filepath.Abs(cfg.Docroot)
	if err != nil {
		return nil, fmt.Errorf("docroot: %w", err)
	}
	r.config.Docroot = absolute
	if _, err := r.open(); err != nil {
		return nil, fmt.Errorf("docroot: %w", err)
	}
	return r, nil
}

// Enabled tells whether there is a docroot at all.
func (r *Root) Enabled() bool { return r.config.Docroot != "" }

// Route returns the URL path that the tree is served below: "/" or a path
// without a slash at its end.
func (r *Root) Route() string { return r.config.Route }

// Close closes the docroot. Files found before can no longer be opened; what
// is open stays open. A later Lookup opens the docroot anew.
func (r *Root) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tree == nil {
		return nil
	}
	err := r.tree.Close()
	r.tree, r.info = nil, nil
	return err
}

// open returns the tree that the docroot's path leads to now. A release that
// is published by renaming a directory or turning a link is seen by the next
// request. The tree before it is closed by the collector when the last File
// found in it is gone.
func (r *Root) open() (*os.Root, error) {
	info, err := os.Stat(r.config.Docroot)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: r.config.Docroot, Err: errors.New("not a directory")}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tree != nil && os.SameFile(info, r.info) {
		return r.tree, nil
	}
	tree, err := os.OpenRoot(r.config.Docroot)
	if err != nil {
		return nil, err
	}
	r.tree, r.info = tree, info
	return tree, nil
}

// Lookup finds what an escaped request path, as URL.EscapedPath returns it,
// names. The path includes the route.
//
// A path that ends in a slash is a directory and stands for its index:
// index.html, index.elua, index.lua, in this order. A directory without the
// slash is KindStatic with a File that redirects to the path with one, so
// that relative links work. There are no directory listings.
//
// KindNone, with a zero File, is everything else: absent, unreadable, not a
// regular file, outside the tree, a dotfile (but for .well-known at the top),
// or a path in an unusual spelling ("..", "//", %2F, %5C, %00).
func (r *Root) Lookup(escapedPath string) (File, Kind) {
	if !r.Enabled() {
		return File{}, KindNone
	}
	rest, ok := r.below(escapedPath)
	if !ok {
		return File{}, KindNone
	}
	name, dir, ok := relativeName(rest)
	if !ok {
		return File{}, KindNone
	}
	tree, err := r.open()
	if err != nil {
		return File{}, KindNone
	}
	info, err := tree.Stat(name)
	switch {
	case err != nil:
		return File{}, KindNone
	case info.IsDir():
		return r.index(tree, name, escapedPath, dir)
	case dir:
		return File{}, KindNone
	default:
		return r.file(tree, name, info)
	}
}

// below strips the route. The route itself is the tree's top directory.
func (r *Root) below(escapedPath string) (string, bool) {
	if r.config.Route == "/" {
		return strings.CutPrefix(escapedPath, "/")
	}
	rest, ok := strings.CutPrefix(escapedPath, r.config.Route)
	if !ok {
		return "", false
	}
	if rest == "" {
		return "", true
	}
	return strings.CutPrefix(rest, "/")
}

// index finds the file that stands for directory name.
func (r *Root) index(tree *os.Root, name, escapedPath string, slash bool) (File, Kind) {
	for _, index := range indexes {
		indexName := filepath.ToSlash(filepath.Join(name, index))
		info, err := tree.Stat(indexName)
		if err != nil {
			continue
		}
		file, kind := r.file(tree, indexName, info)
		if kind == KindNone {
			continue
		}
		if !slash || !strings.HasSuffix(escapedPath, "/") {
			last := escapedPath[strings.LastIndexByte(escapedPath, '/')+1:]
			return File{redirect: "./" + last + "/"}, KindStatic
		}
		return file, kind
	}
	return File{}, KindNone
}

// file describes a regular file. A link under another name does not turn a
// script into text: the kind of the link's end must agree.
func (r *Root) file(tree *os.Root, name string, info fs.FileInfo) (File, Kind) {
	if !info.Mode().IsRegular() {
		return File{}, KindNone
	}
	full := filepath.Join(tree.Name(), filepath.FromSlash(name))
	kind := kindOf(name)
	if kind == KindStatic {
		target, err := filepath.EvalSymlinks(full)
		if err != nil || kindOf(target) != KindStatic {
			return File{}, KindNone
		}
	}
	return File{root: r, tree: tree, name: name, path: full, info: info}, kind
}
