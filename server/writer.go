package server

import (
	"net/http"
	"time"
)

// writer counts an answer, stops the first-byte timer at its head and moves
// the connection's write deadline on with every piece that goes out, so that
// a stalled reader is cut and a slow but steady one is not.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	timer   *time.Timer

	began    bool
	status   int
	bytes    int64
	deadline time.Time
}

func newWriter(w http.ResponseWriter, stall time.Duration, timer *time.Timer) *writer {
	return &writer{ResponseWriter: w, control: http.NewResponseController(w), stall: stall, timer: timer}
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
		n, err := w.ResponseWriter.Write(p[:min(len(p), piece)])
		total, w.bytes = total+n, w.bytes+int64(n)
		if p = p[n:]; err != nil || len(p) == 0 {
			return total, err
		}
	}
}

// advance sets the write deadline, at most ten times per stall span: setting
// it costs a timer update in the runtime.
func (w *writer) advance() {
	now := time.Now()
	if w.deadline.Sub(now) > w.stall-w.stall/10 {
		return
	}
	w.deadline = now.Add(w.stall)
	_ = w.control.SetWriteDeadline(w.deadline) // Not every test writer has one.
}

// Flush implements http.Flusher.
func (w *writer) Flush() {
	w.WriteHeader(http.StatusOK)
	_ = w.control.Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
