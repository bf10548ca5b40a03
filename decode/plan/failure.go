package plan

import "strings"

// FailureKind says why a plan could not be carried out.
type FailureKind string

// The kinds of failure.
const (
	// Unsupported: no decoder here reads the source, or one is switched off.
	Unsupported FailureKind = "unsupported"
	// Corrupt: the source is damaged or cut off.
	Corrupt FailureKind = "corrupt"
	// TooLarge: the output format cannot hold the size asked for.
	TooLarge FailureKind = "too_large"
	// Killed: the context ended before the picture was complete.
	Killed FailureKind = "killed"
	// Internal: anything else.
	Internal FailureKind = "internal"
)

// failures are what a client may read.
var failures = map[FailureKind]string{
	Unsupported: "the source is of a kind that is not supported",
	Corrupt:     "the source is damaged",
	TooLarge:    "the output format cannot hold an image of that size",
	Killed:      "the work was cancelled",
	Internal:    "the image could not be made",
}

// Failure is why reading a header or carrying out a plan failed. Its text
// may be shown to clients; the decoder's own words are in Detail, for the
// log.
type Failure struct {
	Kind   FailureKind
	detail string
	cause  error
}

// NewFailure makes a failure of a decoder's text, which may have several
// lines, and of the error of the source, the writer or the context that made
// the work fail, if there was one.
func NewFailure(kind FailureKind, detail string, cause error) *Failure {
	detail = strings.Join(strings.FieldsFunc(detail, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	if cause != nil && detail == "" {
		detail = cause.Error()
	}
	return &Failure{Kind: kind, detail: detail, cause: cause}
}

func (e *Failure) Error() string { return "decode: " + failures[e.Kind] }

// Detail returns the decoder's own words on one line. They may name paths
// and versions and are for the log alone.
func (e *Failure) Detail() string { return e.detail }

// Unwrap returns the cause, nil if there was none.
func (e *Failure) Unwrap() error { return e.cause }
