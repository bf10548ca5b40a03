package admission

import "time"

// Ask describes one piece of work to Acquire.
type Ask struct {
	// URL is Classify's verdict; "" where there is no image URL.
	URL Lane
	// Peak is the estimated peak in bytes, Plan.Peak(). 0 means that there
	// is nothing to price: a tile is then charged the threshold, a full that
	// is no script the whole full budget.
	Peak int64
	// Seconds is the estimated processor time; 0 means unknown.
	Seconds float64
	// Key is the fairness key, from Keyer.Key; "" counts as anonymous.
	Key string
	// Identity is the name of a validated API key; "" is anonymous.
	Identity string
	// Format is the requested format, for the disagreement counter.
	Format string
	// Held counts the bytes that the request really holds while it waits:
	// a fetched source, a body.
	Held int64
	// Script tells that the work is a Lua script: always a full, charged
	// from the scripts' own line of the books, its images by TryGrow.
	Script bool
	// Label names the request in the decisions ring, for people: a route or
	// a canonical form, never raw client data.
	Label string
}

// Charge is what a lease was granted on.
type Charge struct {
	// Lane decided; URL and Engine are the two classifiers' verdicts, ""
	// where one had nothing to say.
	Lane, URL, Engine Lane
	// Bytes is charged to the lane's budget, images of a script included.
	Bytes int64
	// Wait is the time spent in the queue.
	Wait time.Duration
	// Headroom tells that the grant reached into the healthy headroom.
	Headroom bool
}

// Result is what a decode turned out to be.
type Result struct {
	// Peak is by how many bytes the process' memory rose at its highest; 0
	// where it was not measured. It counts only where no other work ran.
	Peak int64
	// OK tells that the decode ended well; others teach the controller
	// nothing about the time decodes take.
	OK bool
}
