package render

import (
	"sync/atomic"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/decode/plan"
	"example.com/iiifd/iiif"
	"example.com/iiifd/source"
)

// Subject is an image of a source.
type Subject struct {
	Source     source.Source
	Identifier string
	// Scope tells sources apart in the derivative cache and in purges: two
	// subjects of one Scope and Identifier are the same image.
	Scope string
}

// Request asks for an image.
type Request struct {
	Subject Subject
	Params  iiif.Params
	// Policy separates answers that differ by what the client may see; empty
	// for what everybody may see.
	Policy string
	// Key is the client's fairness key, Identity its API key's name.
	Key, Identity string
	// Deadline is when the answer must have begun; zero for none.
	Deadline time.Time
}

// Job is a request that is ready to run.
type Job struct {
	Request   Request
	Info      source.Info
	Plan      plan.Plan
	Canonical string
	ETag      string
	MediaType string

	identity string
	// charge is set when the job's own decode was admitted.
	charge atomic.Pointer[admission.Charge]
}

// Charge returns what the job's decode was admitted on, nil where it had
// none of its own or was refused.
func (j *Job) Charge() *admission.Charge { return j.charge.Load() }
