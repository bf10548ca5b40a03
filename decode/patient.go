package decode

import (
	"fmt"
	"runtime/debug"
)

// patientSeconds is the estimated processor time from which work steps back
// behind tiles.
const patientSeconds = 1

// patiently runs f on a thread of its own at a lower priority, where the
// system lets it, and returns its error. A panic of f is the caller's.
func patiently(f func() error) error {
	type end struct {
		err   error
		panic any
	}
	done := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			if v := recover(); v != nil {
				e.panic = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
			done <- e
		}()
		stepBack()
		e.err = f()
	}()
	e := <-done
	if e.panic != nil {
		panic(e.panic)
	}
	return e.err
}
