package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"syscall"
)

// Directory serves the regular files below one directory. Neither "..",
// absolute names nor symbolic links lead out of it (os.Root); names that
// start with a dot are not served.
type Directory struct {
	root       *os.Root
	extensions []string
	listings   listings
}

// NewDirectory opens a directory source. Close it when no request uses it
// any more.
func NewDirectory(dir string, cfg Config) (*Directory, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	return &Directory{root: root, extensions: cfg.Extensions}, nil
}

// Close ends the source; opened objects stay readable.
func (d *Directory) Close() error { return d.root.Close() }

// Stat implements Source.
func (d *Directory) Stat(_ context.Context, identifier string) (Info, error) {
	fi, c, err := d.find(identifier)
	if err != nil {
		return Info{}, err
	}
	return describe(fi, c), nil
}

// find returns the first reading of an identifier that is a regular file.
// Errors other than "there is no such file" end the search: a file that
// cannot be read must not turn into another one.
func (d *Directory) find(identifier string) (fs.FileInfo, candidate, error) {
	for _, c := range candidates(identifier, d.extensions) {
		fi, err := d.root.Stat(c.path)
		switch {
		case err == nil && fi.Mode().IsRegular():
			return fi, c, nil
		case err == nil, absent(err):
		default:
			return nil, candidate{}, fmt.Errorf("source: stat: %w", err)
		}
	}
	return nil, candidate{}, ErrNotFound
}

// absent tells whether an error means that the name leads to no file that
// may be served. os.Root has no exported error for an escape.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) ||
		errors.Is(err, syscall.ELOOP) || errors.Is(err, fs.ErrInvalid) || escapes(err)
}

func escapes(err error) bool {
	var pathErr *fs.PathError
	return errors.As(err, &pathErr) && pathErr.Err.Error() == "path escapes from parent"
}

// Open implements Source.
func (d *Directory) Open(_ context.Context, identifier string) (Object, error) {
	_, c, err := d.find(identifier)
	if err != nil {
		return nil, err
	}
	// O_NONBLOCK: a FIFO put in the file's place since find must not block.
	f, err := d.root.OpenFile(c.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if absent(err) {
			return nil, ErrNotFound
		}
		return nil, fmt.Errorf("source: open: %w", err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = ErrNotFound
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// The version is read from the open file: what was found before may have
	// been replaced in between.
	return &file{File: f, info: describe(fi, c)}, nil
}

// describe makes the Info of a regular file.
func describe(fi fs.FileInfo, c candidate) Info {
	version := strconv.FormatInt(fi.Size(), 36) + "-" + strconv.FormatInt(fi.ModTime().UnixNano(), 36)
	inode := ""
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		inode = strconv.FormatUint(st.Dev, 36) + "." + strconv.FormatUint(st.Ino, 36)
	}
	return Info{
		Name:    path.Base(c.path),
		Size:    fi.Size(),
		ModTime: fi.ModTime(),
		Version: version,
		Key:     version + "|" + inode + "|" + c.path,
		Page:    c.page,
	}
}

// file is an opened regular file.
type file struct {
	*os.File
	info Info
}

func (f *file) Info() Info { return f.info }

// Path goes through the descriptor, so that it names the opened file even
// when its name was given to another one.
func (f *file) Path() string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

func (f *file) Verify() error {
	fi, err := f.Stat()
	if err != nil {
		return fmt.Errorf("source: stat: %w", err)
	}
	if fi.Size() != f.info.Size || !fi.ModTime().Equal(f.info.ModTime) {
		return ErrChanged
	}
	return nil
}
