package lua

import (
	"encoding/json"
	"time"
)

// settings is what a worker needs to know for its whole life.
type settings struct {
	MemoryLimit int64
	MaxSteps    int64
	ScriptDir   string
	InitScript  string
	Roots       []string
	Env         map[string]string
	JWTKey      string
	HTTPAllow   []string
	HTTPBody    int64
	Config      SIPIConfig
}

// readyMessage says that a worker can take calls.
type readyMessage struct{ HeapBase uint64 }

// callKind is what a call runs after the init script.
type callKind string

const (
	callProbe    callKind = "probe"  // report hooks and routes
	callScript   callKind = "script" // run a .lua or .elua file
	callHook     callKind = "hook"   // run pre_flight
	callFile     callKind = "file"   // run file_pre_flight
	globalHook            = "pre_flight"
	globalFile            = "file_pre_flight"
	globalRoutes          = "routes"
)

// startMessage asks for one call.
type startMessage struct {
	Kind    callKind
	Script  string `json:",omitempty"`
	Args    []string
	Timeout time.Duration
	Request *wireRequest
}

// wireRequest is a Request without its body, which goes before in
// frameContent.
type wireRequest struct {
	Method, URI, Host, ClientIP, Docroot string
	Secure                               bool
	Header                               map[string][]string
	Query, Form                          []Pair
	Uploads                              []Upload
	ContentType                          string
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// headMessage is a response's head.
type headMessage struct {
	Status int
	Header []Pair
}

// callMessage asks the server for something a worker does not have.
type callMessage struct {
	Op   string
	Args json.RawMessage
}

// replyMessage answers a callMessage. Error is the text for the script.
type replyMessage struct {
	Error string          `json:",omitempty"`
	Value json.RawMessage `json:",omitempty"`
}

// doneMessage ends a call.
type doneMessage struct {
	// Error is the script's error, "" for none; Reason is set where a limit
	// ended it; Missing where the script file does not exist.
	Error   string `json:",omitempty"`
	Reason  Reason `json:",omitempty"`
	Missing bool   `json:",omitempty"`
	Steps   int64

	Verdict *verdict `json:",omitempty"`
	// Responded tells that the script set a status: a hook then answers the
	// request itself.
	Responded bool     `json:",omitempty"`
	Hooks     []string `json:",omitempty"`
	Routes    []Route  `json:",omitempty"`
}

// verdict is what a hook returned.
type verdict struct {
	Type   string
	Values map[string]string
	Path   string
}
