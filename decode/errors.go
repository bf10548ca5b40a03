package decode

import (
	"errors"
	"strings"

	"example.com/iiifd/decode/plan"
)

// Error is a failure of decoding, processing or encoding.
type Error = plan.Failure

// ErrorKind says whose fault an Error is.
type ErrorKind = plan.FailureKind

// The kinds of errors.
const (
	Unsupported = plan.Unsupported
	Corrupt     = plan.Corrupt
	TooLarge    = plan.TooLarge
	Killed      = plan.Killed
	Internal    = plan.Internal
)

// newError makes an error of kind with libvips' or another library's text.
func newError(kind ErrorKind, detail string, cause error) *Error {
	detail, _, _ = strings.Cut(detail, "\nStack:") // the binding adds one
	return plan.NewFailure(kind, detail, cause)
}

// IsKind tells whether err is or wraps an *Error of kind.
func IsKind(err error, kind ErrorKind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
