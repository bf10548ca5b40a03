// Package source turns identifiers into objects: bytes with a version that
// can be read at any offset.
package source

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrNotFound is returned where an identifier names nothing that may be
// served: nothing there, not a regular file, outside the source, or a name
// that cannot exist.
var ErrNotFound = errors.New("source: no such object")

// Info describes an object at one moment.
type Info struct {
	// Name is the identifier's last path element without a page suffix, for
	// Content-Disposition and content types.
	Name string
	// Size is the length in bytes.
	Size int64
	// ModTime is the time of the last change, with all the precision the
	// source offers.
	ModTime time.Time
	// Version is size and ModTime as text: equal on every replica that has
	// the same file, different after a change. It is part of ETags.
	Version string
	// Key is Version and the object's place (path, inode): unique within
	// this process, for the keys of caches and handle pools. Never shown.
	Key string
	// Page is the page the identifier asks for, counted from 0; -1 without
	// a page suffix.
	Page int
}

// Object is an opened source. ReadAt may be called from several goroutines
// at once; Close must be called once by who opened it.
type Object interface {
	io.ReaderAt
	io.Closer
	Info() Info
	// Path names the opened file itself for decoders that need a path: it
	// keeps naming the same bytes when another file takes the name. It is
	// valid until Close, and empty where the object is no local file.
	Path() string
	// Verify returns ErrChanged when the object may have been changed in
	// place since it was opened, so that what was read may be a mixture.
	Verify() error
}

// Source finds and opens objects. Identifiers are already percent-decoded.
type Source interface {
	// Stat describes the object without opening it.
	Stat(ctx context.Context, identifier string) (Info, error)
	// Open opens the object for reading. What it returns keeps reading the
	// version its Info describes, or fails with ErrChanged.
	Open(ctx context.Context, identifier string) (Object, error)
}

// ErrChanged is returned by reads of an object that was changed in place
// after it was opened.
var ErrChanged = errors.New("source: object changed while it was read")
