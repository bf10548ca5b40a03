package source

import (
	"context"
	"errors"
	"strings"
)

// Bounds of one search page: names looked at, and nested folders (a link to
// a folder above it would nest for ever).
const (
	searchNames = 200_000
	searchDepth = 32
)

// errSearchPage ends a walk: the page is full or has looked at enough.
var errSearchPage = errors.New("source: search page ends")

// search walks everything below dir in the byte order of the paths, which is
// what lets a page begin where the one before ended.
type search struct {
	directory *Directory
	base      string // with a trailing slash, or empty
	query     string // in lower case
	after     string
	limit     int

	seen int
	last string
	out  Listing
}

func (d *Directory) search(ctx context.Context, dir, query, after string, limit int) (Listing, error) {
	s := &search{directory: d, query: query, after: after, limit: limit}
	if dir != "" {
		s.base = dir + "/"
	}
	err := s.walk(ctx, dir, 0)
	if errors.Is(err, errSearchPage) {
		s.out.Next = s.last
		err = nil
	}
	return s.out, err
}

// walk visits a folder. names sorts folders apart; here a folder's place is
// that of its "name/" among the files.
func (s *search) walk(ctx context.Context, dir string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := s.directory.names(dir)
	if errors.Is(err, ErrNotFound) || depth > searchDepth {
		return nil
	}
	if err != nil {
		return err
	}
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	for _, name := range byBytes(names) {
		path := prefix + name
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			if s.after != "" && path < s.after && !strings.HasPrefix(s.after, path) {
				continue
			}
			if err := s.walk(ctx, folder, depth+1); err != nil {
				return err
			}
			continue
		}
		if err := s.visit(path); err != nil {
			return err
		}
	}
	return nil
}

// visit takes a file that matches; the page ends before the one too many.
func (s *search) visit(path string) error {
	if s.after != "" && path <= s.after {
		return nil
	}
	matches := strings.Contains(strings.ToLower(strings.TrimPrefix(path, s.base)), s.query)
	if s.seen++; s.seen > searchNames || (matches && len(s.out.Entries) == s.limit) {
		return errSearchPage
	}
	s.last = path
	if matches {
		s.out.Entries = s.directory.appendEntry(s.out.Entries, path)
	}
	return nil
}

// byBytes merges the sorted folders and the sorted files of a listing.
func byBytes(names []string) []string {
	split := 0
	for split < len(names) && strings.HasSuffix(names[split], "/") {
		split++
	}
	folders, files := names[:split], names[split:]
	merged := make([]string, 0, len(names))
	for len(folders) > 0 && len(files) > 0 {
		if folders[0] < files[0] {
			merged, folders = append(merged, folders[0]), folders[1:]
		} else {
			merged, files = append(merged, files[0]), files[1:]
		}
	}
	return append(append(merged, folders...), files...)
}
