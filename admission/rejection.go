package admission

import (
	"fmt"
	"time"
)

// Rejection is the error of a request that was not admitted. It consumed
// nothing: no permit, no bytes, no quota.
//
//nolint:errname // callers branch on a rejection, which is an outcome more than a fault
type Rejection struct {
	// Code says why.
	Code Code
	// Lane is the lane that decided.
	Lane Lane
	// URL and Engine are the verdicts of both classifiers, "" where one had
	// nothing to say.
	URL, Engine Lane
	// RetryAfter is the time after which a retry may succeed, in whole
	// seconds; 0 where none can.
	RetryAfter time.Duration
	// Bytes is what the request would have been charged.
	Bytes int64
	// Limit is the bound that Bytes was held against, where the code is
	// about bytes; 0 otherwise.
	Limit int64
	// Wait is the time spent in the queue.
	Wait time.Duration
}

// Error names the code and the lane.
func (r *Rejection) Error() string {
	return fmt.Sprintf("admission: %s (%s)", r.Code, r.Lane)
}
