package server

import (
	"io"
	"net/http"
	"time"
)

// timedBody is a request's body that must have arrived within a time-out,
// whether or not anybody reads it: net/http reads what a handler has left
// before it answers, for as long as that takes.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// limitBody bounds the time for the request's body, if it has one.
func limitBody(w http.ResponseWriter, r *http.Request, timeout time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(timeout)) == nil { // Not every test writer has one.
		r.Body = &timedBody{r.Body, control}
	}
}

// Read implements io.Reader. After the body's end the connection is only
// watched for the client's leaving, which has no time-out.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{}) // It could be set before.
	}
	return n, err
}
