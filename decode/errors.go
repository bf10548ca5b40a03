package decode

import (
	"errors"
	"strings"
)

// ErrorKind says whose fault an Error is.
type ErrorKind string

// The kinds of errors.
const (
	// Unsupported: no decoder here reads the source, or one is switched off.
	Unsupported ErrorKind = "unsupported"
	// Corrupt: the source is damaged or cut off.
	Corrupt ErrorKind = "corrupt"
	// TooLarge: the output format cannot hold the size asked for.
	TooLarge ErrorKind = "too_large"
	// Killed: the context ended before the picture was complete.
	Killed ErrorKind = "killed"
	// Internal: anything else.
	Internal ErrorKind = "internal"
)

// messages are what a client may read.
var messages = map[ErrorKind]string{
	Unsupported: "the source is of a kind that is not supported",
	Corrupt:     "the source is damaged",
	TooLarge:    "the output format cannot hold an image of that size",
	Killed:      "the work was cancelled",
	Internal:    "the image could not be made",
}

// Error is a failure of decoding, processing or encoding. Its text may be
// shown to clients; the decoder's own words are in Detail, for the log.
type Error struct {
	Kind   ErrorKind
	detail string
	cause  error
}

func (e *Error) Error() string { return "decode: " + messages[e.Kind] }

// Detail returns the decoder's own words on one line. They may name paths
// and versions and are for the log alone.
func (e *Error) Detail() string { return e.detail }

// Unwrap returns the error of the source, the writer or the context that
// made the work fail, nil if there was none.
func (e *Error) Unwrap() error { return e.cause }

// newError makes an error of kind with libvips' or another library's text.
func newError(kind ErrorKind, detail string, cause error) *Error {
	detail = strings.Join(strings.FieldsFunc(detail, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	if cause != nil && detail == "" {
		detail = cause.Error()
	}
	return &Error{Kind: kind, detail: detail, cause: cause}
}

// IsKind tells whether err is or wraps an *Error of kind.
func IsKind(err error, kind ErrorKind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
