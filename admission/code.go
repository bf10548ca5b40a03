package admission

// Code says why a request was refused. Codes are part of the answer's body,
// of metrics and of the decisions ring; they never change their meaning.
type Code string

// The codes of requests that can never succeed as they are (413).
const (
	CodeExceedsBudget       Code = "request_exceeds_budget"
	CodeExceedsTime         Code = "request_exceeds_time"
	CodeIngestExceedsBudget Code = "ingest_exceeds_budget"
)

// The codes of a client's own quota (429).
const (
	CodeClientRate    Code = "client_rate_limited"
	CodeClientActive  Code = "client_active_limit"
	CodeClientPending Code = "client_pending_limit"
)

// The codes of a saturated, pressed or draining server (503).
const (
	CodeQueueFull       Code = "queue_full"
	CodeQueueTimeout    Code = "queue_timeout"
	CodeQueueDisplaced  Code = "queue_displaced"
	CodeQueueHeldBytes  Code = "queue_held_bytes"
	CodeLaneFull        Code = "lane_full"
	CodeGlobalActive    Code = "global_active_limit"
	CodeGlobalExecuting Code = "global_executing_limit"
	CodePressure        Code = "resource_pressure"
	CodeFanoutExhausted Code = "fanout_exhausted"
	CodeDraining        Code = "draining"
)

// CodeClientGone stands in metrics and the ring for a client that left while
// it waited. It is no refusal and never reaches an answer.
const CodeClientGone Code = "client_gone"

// Kind groups the codes by who would have to change what for a retry to help.
type Kind int

// The kinds.
const (
	// KindNever is for requests that cannot be admitted at any load.
	KindNever Kind = iota
	// KindQuota is for a client that used up its own share.
	KindQuota
	// KindServer is for a server that has no room now.
	KindServer
)

// codes lists every code with its kind, in the order of the documentation.
var codes = []struct {
	code Code
	kind Kind
}{
	{CodeExceedsBudget, KindNever},
	{CodeExceedsTime, KindNever},
	{CodeIngestExceedsBudget, KindNever},
	{CodeClientRate, KindQuota},
	{CodeClientActive, KindQuota},
	{CodeClientPending, KindQuota},
	{CodeQueueFull, KindServer},
	{CodeQueueTimeout, KindServer},
	{CodeQueueDisplaced, KindServer},
	{CodeQueueHeldBytes, KindServer},
	{CodeLaneFull, KindServer},
	{CodeGlobalActive, KindServer},
	{CodeGlobalExecuting, KindServer},
	{CodePressure, KindServer},
	{CodeFanoutExhausted, KindServer},
	{CodeDraining, KindServer},
}

// Codes returns every code that a Rejection can carry.
func Codes() []Code {
	all := make([]Code, len(codes))
	for i, c := range codes {
		all[i] = c.code
	}
	return all
}

// Kind returns the code's kind; KindServer for a code that is not known.
func (c Code) Kind() Kind {
	for _, known := range codes {
		if known.code == c {
			return known.kind
		}
	}
	return KindServer
}
