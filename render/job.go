package render

import (
	"sync/atomic"
	"time"

	"example.com/iiifd/admission"
	"example.com/iiifd/auth"
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
	// Object names the image in the cache where it is served from another
	// file than its identifier's; empty for Identifier.
	Object string
}

// Restriction is how less than the whole image is shown. The zero value
// shows all of it.
type Restriction struct {
	// Size is the size as which the image is shown, see auth.Size.
	Size auth.Size
	// Mark is the path of a watermark that is laid over it; "" for none.
	Mark string
}

// Request asks for an image.
type Request struct {
	Subject Subject
	Params  iiif.Params
	// Policy separates answers that differ by what the client may see; empty
	// for what everybody may see.
	Policy string
	// Restriction is what Policy tells apart, as far as it changes pixels.
	Restriction Restriction
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
