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
	// Total counts all names of the directory; 0 for a search.
	Total int
}

// Lister is a source that can enumerate what it serves.
type Lister interface {
	// List returns at most limit names of dir ("" is the top) that follow
	// after, the Next of the page before. With a query it returns the files
	// anywhere below dir whose path below dir contains it; letter case is
	// ignored. A page may then be empty and still have a Next. A dir that is
	// none gives ErrNotFound.
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
	if query != "" {
		return d.search(ctx, dir, strings.ToLower(query), after, limit)
	}
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	start := sort.Search(len(sorted), func(i int) bool { return after == "" || listedBefore(after, sorted[i]) })
	end := min(start+limit, len(sorted))
	out := Listing{Total: len(sorted)}
	if end < len(sorted) && end > start {
		out.Next = sorted[end-1]
	}
	for _, name := range sorted[start:end] {
		if err := ctx.Err(); err != nil {
			return Listing{}, err
		}
		out.Entries = d.appendEntry(out.Entries, prefix+name)
	}
	return out, nil
}

// appendEntry adds a listed path, a folder's ending in "/". A file that went
// away since it was listed is left out.
func (d *Directory) appendEntry(entries []Entry, listed string) []Entry {
	if folder, ok := strings.CutSuffix(listed, "/"); ok {
		return append(entries, Entry{Identifier: folder, Dir: true})
	}
	fi, err := d.root.Stat(listed)
	if err != nil || !fi.Mode().IsRegular() {
		return entries
	}
	return append(entries, Entry{Identifier: listed, Size: fi.Size(), ModTime: fi.ModTime()})
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
