package server

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// errClientGone marks the failure of a write: whoever would read an error
// has left, or takes nothing any more.
var errClientGone = errors.New("server: the client took no more of the answer")

func gone(err error) error { return fmt.Errorf("%w: %w", errClientGone, err) }

// writer counts an answer, stops the first-byte timer at its head and moves
// the connection's write deadline on with every piece that goes out, so that
// a stalled reader is cut and a slow but steady one is not.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	// connection joins the head with the body; nil where it cannot.
	connection *connection
	stall      time.Duration
	timer      *time.Timer

	began    bool
	status   int
	bytes    int64
	deadline time.Time
	// failed is the first error of a write: nobody reads on.
	failed error
}

func newWriter(w http.ResponseWriter, c *connection, stall time.Duration, timer *time.Timer) *writer {
	return &writer{ResponseWriter: w, control: http.NewResponseController(w), connection: c, stall: stall, timer: timer}
}

// piece is the most that one deadline covers, in bytes.
const piece = 64 << 10

func (w *writer) WriteHeader(status int) {
	if w.began {
		return
	}
	if status >= 200 {
		w.began, w.status = true, status
		w.timer.Stop()
		w.advance()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	total := 0
	for {
		w.advance()
		n, err := w.write(p[:min(len(p), piece)])
		total, w.bytes = total+n, w.bytes+int64(n)
		if err != nil {
			w.failed = gone(err)
			return total, w.failed
		}
		if p = p[n:]; len(p) == 0 {
			return total, nil
		}
	}
}

// write writes a piece, the first of an answer together with its head.
func (w *writer) write(p []byte) (int, error) {
	if w.connection == nil || w.bytes > 0 {
		return w.ResponseWriter.Write(p)
	}
	w.connection.gather()
	n, err := w.ResponseWriter.Write(p)
	if failed := w.connection.release(); err == nil {
		err = failed
	}
	return n, err
}

// advance sets the write deadline at least one stall span ahead. It does so
// at most ten times per span: setting it costs a timer update in the runtime.
func (w *writer) advance() {
	now := time.Now()
	if w.deadline.Sub(now) >= w.stall {
		return
	}
	w.deadline = now.Add(w.stall + w.stall/10)
	_ = w.control.SetWriteDeadline(w.deadline) // Not every test writer has one.
}

// Flush implements http.Flusher.
func (w *writer) Flush() {
	w.WriteHeader(http.StatusOK)
	_ = w.control.Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
