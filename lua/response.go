package lua

import (
	"io"
	"net/http"
)

// Response is what a script answers.
type Response struct {
	Status int
	Header http.Header
	// Body must be closed. Read fails with the script's error where the
	// script ended badly after it had begun to send: the connection must
	// then be reset. Close ends a script that still runs and returns when it
	// has stopped.
	Body io.ReadCloser
	// Length is the body's length in bytes, -1 while the script still runs.
	Length int64
	// Done is closed when the script has stopped, which may be long before
	// its client has read the answer.
	Done <-chan struct{}
}

// body is the reader of a response.
type body struct {
	session *session
	offset  int64
}

func (b *body) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := b.session.spool.readAt(p, b.offset)
	b.offset += int64(n)
	return n, err
}

func (b *body) Close() error {
	b.session.cancel()
	<-b.session.done
	b.session.spool.close()
	return nil
}
