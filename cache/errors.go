package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

var (
	// ErrClosed is returned by a closed Cache, Reader or Writer.
	ErrClosed = errors.New("cache: closed")
	// ErrInUse tells that another process holds the directory's lock.
	ErrInUse = errors.New("cache: the directory is in use by another process")
	// ErrNotSeekable is returned by Seek on an answer that is still growing
	// or whose beginning is gone.
	ErrNotSeekable = errors.New("cache: the answer cannot be sought in")

	errDamaged    = errors.New("cache: stored answer is damaged")
	errEmpty      = errors.New("cache: fill wrote nothing")
	errExited     = errors.New("cache: fill ended its goroutine")
	errAbandoned  = errors.New("cache: no reader is left")
	errSuperseded = errors.New("cache: another fill does the same work")
	errAppeared   = errors.New("cache: there is an entry now")
	errStale      = errors.New("cache: purged while it was made")
	errNoDisk     = errors.New("cache: the disk tier takes no writes")
	errTooLarge   = errors.New("cache: larger than the cache")
	errSpoolFull  = errors.New("cache: spool is full")
)

// PanicError is what callers of Do get when the fill panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("cache: fill panicked: %v", e.Value) }

// notShared tells whether err is the caller's own: a refusal that another
// caller might not have met.
func notShared(err error) bool {
	own, ok := errors.AsType[interface {
		error
		NotShared() bool
	}](err)
	return ok && own.NotShared()
}

// errorKind maps an error of the file system to a metric label.
func errorKind(err error) string {
	switch {
	case errors.Is(err, errDamaged):
		return kindDamaged
	case errors.Is(err, errSpoolFull):
		return kindSpoolFull
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "no_space"
	case errors.Is(err, syscall.EROFS):
		return "read_only"
	case errors.Is(err, fs.ErrPermission):
		return "permission"
	case errors.Is(err, fs.ErrNotExist):
		return "vanished"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "descriptors"
	case errors.Is(err, ErrInUse):
		return "in_use"
	}
	return "io"
}
