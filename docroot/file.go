package docroot

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

// File is a regular file of the docroot that Lookup found, or a redirect to
// a directory. It holds nothing open.
type File struct {
	root     *Root
	tree     *os.Root
	name     string
	path     string
	info     fs.FileInfo
	redirect string
}

// Name returns the slash-separated path inside the docroot.
func (f File) Name() string { return f.name }

// Path returns the absolute path on disk. It is for logs and for keys of
// caches; open the file with Open, which cannot be led out of the docroot.
func (f File) Path() string { return f.path }

// Size returns the size in bytes that Lookup saw; 0 for a redirect.
func (f File) Size() int64 {
	if f.info == nil {
		return 0
	}
	return f.info.Size()
}

// ModTime returns the modification time that Lookup saw; the zero time for a
// redirect.
func (f File) ModTime() time.Time {
	if f.info == nil {
		return time.Time{}
	}
	return f.info.ModTime()
}

// Open opens the file for reading; the caller closes it. The error wraps
// fs.ErrNotExist where a regular file of that name is no longer there.
func (f File) Open() (*os.File, error) {
	if f.tree == nil {
		return nil, fs.ErrNotExist
	}
	// Without O_NONBLOCK, a named pipe put in the file's place would hold
	// the request until somebody writes to it.
	file, err := f.tree.OpenFile(f.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("docroot: %s: %w", f.name, fs.ErrNotExist)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// ServeHTTP sends a file that Lookup called static, or its redirect: GET and
// HEAD, ranges, ETag and Last-Modified with their conditions (RFC 9110, 13
// and 14), gzip for text where the client takes it. It refuses to send a
// script.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !getOrHead(w, r) {
		return
	}
	if f.redirect != "" {
		relativeRedirect(w, r, f.redirect)
		return
	}
	if f.tree == nil || kindOf(f.name) != KindStatic {
		notFound(w)
		return
	}
	file, err := f.Open()
	if err != nil {
		notFound(w)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		notFound(w)
		return
	}
	f.send(w, r, file, info)
}

func (f File) send(w http.ResponseWriter, r *http.Request, file *os.File, info fs.FileInfo) {
	media := mediaType(f.name)
	tag := version(info)
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("X-Content-Type-Options", "nosniff")
	if control := f.root.config.CacheControl; control != "" {
		h.Set("Cache-Control", control)
	}
	if worthGzip(media, info.Size()) {
		h.Add("Vary", "Accept-Encoding")
		// A range of the compressed form helps nobody: it would have to be
		// compressed again from the start.
		if acceptsGzip(r.Header) && r.Header.Get("Range") == "" {
			h.Set("ETag", `"`+tag+`-gzip"`)
			gz := &gzipWriter{ResponseWriter: w, pool: f.root.gzip}
			defer gz.finish()
			http.ServeContent(gz, r, "", info.ModTime(), file)
			return
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	CleanRange(r, info.Size())
	http.ServeContent(w, r, "", info.ModTime(), file)
}

// version is size and modification time: equal on replicas that carry the
// same tree.
func version(info fs.FileInfo) string {
	return strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}
