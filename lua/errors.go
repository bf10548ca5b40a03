package lua

import (
	"errors"
	"fmt"
)

// ErrNoScript is returned by Serve where the script file does not exist:
// 404.
var ErrNoScript = errors.New("lua: no such script")

// ErrClosed is returned after Close.
var ErrClosed = errors.New("lua: runtime is closed")

// ScriptError is an error that a script raised or that loading it gave: 500.
// The message names files of the script directory and belongs into the log,
// not into a response.
type ScriptError struct {
	Script  string
	Message string
}

func (e *ScriptError) Error() string { return fmt.Sprintf("lua: %s: %s", e.Script, e.Message) }

// KilledError tells that a script was ended because it exceeded a limit or
// took its process down: 500. With ReasonCancelled its client had left.
type KilledError struct {
	Script string
	Reason Reason
	// Detail is the last that a crashed worker said, for the log.
	Detail string
}

func (e *KilledError) Error() string {
	if e.Detail != "" {
		return fmt.Sprintf("lua: %s: ended (%s): %s", e.Script, e.Reason, e.Detail)
	}
	return fmt.Sprintf("lua: %s: ended (%s)", e.Script, e.Reason)
}
