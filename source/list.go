package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Entry is one name in a listing.
type Entry struct {
	// Identifier is the path below the source.
	Identifier string
	Dir        bool
	Size       int64
	ModTime    time.Time
}

// Listing is one page of a directory's names: folders first, then files,
// each sorted by name.
type Listing struct {
	Entries []Entry
	// Next is the After of the following page, empty on the last one.
	Next string
	// Total counts all matching names of the directory.
	Total int
}

// Lister is a source that can enumerate what it serves.
type Lister interface {
	// List returns at most limit names of dir ("" is the top) that contain
	// query (letter case is ignored) and follow after, the Next of the page
	// before. A dir that is none gives ErrNotFound.
	List(ctx context.Context, dir, query, after string, limit int) (Listing, error)
}

// listings remembers the sorted names of recently listed directories, so
// that paging through 100,000 files reads the directory once.
type listings struct {
	mu    sync.Mutex
	dirs  map[string]*names
	order []string
}

// names are a directory's names at one version; a folder's ends in "/".
type names struct {
	modTime time.Time
	read    time.Time
	sorted  []string
}

const (
	rememberedListings = 8
	// A directory changed within its file system's time stamp granularity
	// looks unchanged; a listing read that early is not kept.
	listingSettle = 2 * time.Second
)

// List implements Lister.
func (d *Directory) List(ctx context.Context, dir, query, after string, limit int) (Listing, error) {
	if dir != "" && !validPath(dir) {
		return Listing{}, ErrNotFound
	}
	sorted, err := d.names(dir)
	if err != nil {
		return Listing{}, err
	}
	query = strings.ToLower(query)
	var out Listing
	var page []string
	for _, name := range sorted {
		if query != "" && !strings.Contains(strings.ToLower(name), query) {
			continue
		}
		out.Total++
		if after != "" && !listedBefore(after, name) {
			continue
		}
		if len(page) < limit {
			page = append(page, name)
		} else if out.Next == "" {
			out.Next = page[len(page)-1]
		}
	}
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	for _, name := range page {
		if err := ctx.Err(); err != nil {
			return Listing{}, err
		}
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			out.Entries = append(out.Entries, Entry{Identifier: prefix + folder, Dir: true})
			continue
		}
		fi, err := d.root.Stat(prefix + name)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		out.Entries = append(out.Entries, Entry{Identifier: prefix + name, Size: fi.Size(), ModTime: fi.ModTime()})
	}
	return out, nil
}

// listedBefore orders folders before files, then by name.
func listedBefore(a, b string) bool {
	if x, y := strings.HasSuffix(a, "/"), strings.HasSuffix(b, "/"); x != y {
		return x
	}
	return a < b
}

func (d *Directory) names(dir string) ([]string, error) {
	name := dir
	if name == "" {
		name = "."
	}
	f, err := d.root.Open(name)
	if err != nil {
		if absent(err) {
			return nil, ErrNotFound
		}
		return nil, fmt.Errorf("source: list: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("source: list: %w", err)
	}
	if !fi.IsDir() {
		return nil, ErrNotFound
	}
	if sorted, ok := d.listings.get(dir, fi.ModTime()); ok {
		return sorted, nil
	}
	read := time.Now()
	entries, err := f.ReadDir(-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("source: list: %w", err)
	}
	sorted := make([]string, 0, len(entries))
	for _, e := range entries {
		if listed, ok := d.listed(dir, e); ok {
			sorted = append(sorted, listed)
		}
	}
	sort.Slice(sorted, func(i, j int) bool { return listedBefore(sorted[i], sorted[j]) })
	d.listings.put(dir, &names{modTime: fi.ModTime(), read: read, sorted: sorted})
	return sorted, nil
}

// listed returns the name under which an entry is listed. Symbolic links are
// followed, as long as they stay inside.
func (d *Directory) listed(dir string, e fs.DirEntry) (string, bool) {
	if !validPath(e.Name()) {
		return "", false
	}
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		fi, err := d.root.Stat(strings.TrimPrefix(dir+"/"+e.Name(), "/"))
		if err != nil {
			return "", false
		}
		mode = fi.Mode().Type()
	}
	switch {
	case mode.IsDir():
		return e.Name() + "/", true
	case mode.IsRegular():
		return e.Name(), true
	}
	return "", false
}

func (l *listings) get(dir string, modTime time.Time) ([]string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.dirs[dir]
	if n == nil || !n.modTime.Equal(modTime) || n.read.Sub(modTime) < listingSettle {
		return nil, false
	}
	return n.sorted, true
}

func (l *listings) put(dir string, n *names) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirs == nil {
		l.dirs = make(map[string]*names)
	}
	l.order = append(slices.DeleteFunc(l.order, func(s string) bool { return s == dir }), dir)
	l.dirs[dir] = n
	if len(l.order) > rememberedListings {
		delete(l.dirs, l.order[0])
		l.order = l.order[1:]
	}
}
