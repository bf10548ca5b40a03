package admission

import "time"

// Decision is one entry of the decisions ring.
type Decision struct {
	// Time is when the decision fell.
	Time time.Time `json:"time"`
	// Lane decided; URL and Engine are the classifiers' verdicts.
	Lane   Lane `json:"lane"`
	URL    Lane `json:"lane_url,omitempty"`
	Engine Lane `json:"lane_engine,omitempty"`
	// Bytes is the estimate that was or would have been charged.
	Bytes int64 `json:"estimate_bytes"`
	// WaitSeconds is the time spent in the queue.
	WaitSeconds float64 `json:"wait_seconds"`
	// Verdict is "admitted" or the code of the refusal.
	Verdict string `json:"verdict"`
	// Key is the hashed fairness key.
	Key string `json:"key"`
	// Label names the request, as Ask.Label.
	Label string `json:"label,omitempty"`
}

// ringSize is how many decisions are kept.
const ringSize = 256

// ring keeps the last decisions.
type ring struct {
	entries [ringSize]Decision
	written uint64
}

func (r *ring) add(d Decision) {
	r.entries[r.written%ringSize] = d
	r.written++
}

// last returns the decisions, newest first.
func (r *ring) last() []Decision {
	n := min(r.written, ringSize)
	out := make([]Decision, 0, n)
	for i := range n {
		out = append(out, r.entries[(r.written-1-i)%ringSize])
	}
	return out
}
