package lua

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/net/http/httpguts"
)

// outputBuffer is how much of a response a worker collects before it sends
// the head: a script that fails earlier is answered with an error page.
const outputBuffer = 32 << 10

// responseWriter is the worker's side of a response.
type responseWriter struct {
	out       *bufio.Writer
	status    int
	header    []Pair
	committed bool // a byte was written: status and header are final
	statusSet bool
	headSent  bool
	buf       []byte
}

// single are the fields that a response has once; setting them again
// replaces the value. All others are added.
var single = map[string]bool{
	"Content-Type": true, "Location": true, "Etag": true, "Last-Modified": true, "Cache-Control": true,
	"Expires": true, "Content-Disposition": true, "Retry-After": true, "Content-Encoding": true, "Date": true,
	"Access-Control-Allow-Origin": true, "Access-Control-Allow-Credentials": true, "Accept-Ranges": true,
}

// framing are the fields that the server itself writes.
var framing = map[string]bool{
	"Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Trailer": true, "Upgrade": true,
	"Keep-Alive": true, "Te": true,
}

// setHeader adds a header field. After the first body byte it has no effect,
// as in SIPI.
func (w *responseWriter) setHeader(name, value string) error {
	if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("%q is not a valid header field", name)
	}
	name = http.CanonicalHeaderKey(name)
	if w.committed || framing[name] {
		return nil
	}
	if len(w.header) >= 256 {
		return errors.New("too many header fields")
	}
	if single[name] {
		for i := range w.header {
			if w.header[i].Name == name {
				w.header[i].Value = value
				return nil
			}
		}
	}
	w.header = append(w.header, Pair{name, value})
	return nil
}

func (w *responseWriter) setStatus(code int) {
	if !w.committed {
		w.status = code
	}
	w.statusSet = true
}

func (w *responseWriter) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	w.committed = true
	w.buf = append(w.buf, p...)
	if len(w.buf) < outputBuffer {
		return nil
	}
	return w.flush()
}

// flush sends the head, if that was not done, and all that was collected.
func (w *responseWriter) flush() error {
	if err := w.sendHead(); err != nil {
		return err
	}
	for len(w.buf) > 0 {
		n := min(len(w.buf), bodyFrame)
		if err := writeFrame(w.out, frameBody, w.buf[:n]); err != nil {
			return err
		}
		w.buf = w.buf[n:]
	}
	w.buf = nil
	return w.out.Flush()
}

func (w *responseWriter) sendHead() error {
	if w.headSent {
		return nil
	}
	w.headSent, w.committed = true, true
	return sendJSON(w.out, frameHead, headMessage{Status: w.status, Header: w.header})
}

// finish sends what is left at the end of a script.
func (w *responseWriter) finish() error {
	if !w.headSent && !w.statusSet && len(w.buf) == 0 && len(w.header) == 0 {
		return nil
	}
	return w.flush()
}
