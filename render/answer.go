package render

import (
	"io"

	"example.com/iiifd/cache"
)

// Outcome tells where an answer came from.
type Outcome string

// The outcomes.
const (
	// OutcomeDecoded: this request's own decode.
	OutcomeDecoded Outcome = "decoded"
	// OutcomeJoined: another request's decode that was under way.
	OutcomeJoined Outcome = "joined"
	// OutcomeMemory and OutcomeDisk: the derivative cache.
	OutcomeMemory Outcome = "memory"
	OutcomeDisk   Outcome = "disk"
)

func outcome(o cache.Outcome) Outcome {
	switch o {
	case cache.Joined:
		return OutcomeJoined
	case cache.Memory:
		return OutcomeMemory
	case cache.Disk:
		return OutcomeDisk
	default:
		return OutcomeDecoded
	}
}

// Body is an answer's bytes; *cache.Reader is one.
type Body interface {
	io.ReadCloser
	io.WriterTo
}

// Answer is an encoded image, whole or still growing. A Read error other
// than io.EOF means that it will never be whole. Close it once.
type Answer struct {
	Body
	// Size is the length in bytes, -1 while it is not known.
	Size    int64
	Outcome Outcome
}
