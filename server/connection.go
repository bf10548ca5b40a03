package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// connection is a client's connection. Between gather and release it joins
// small writes: net/http writes an answer's head with the first bytes of its
// body and then the rest, which are two system calls and two packets.
type connection struct {
	net.Conn
	// gathers and held belong to the goroutine that writes, of which
	// HTTP/1.1 has one at a time.
	gathers bool
	held    *[mostHeld]byte
	length  int
	// key is the fairness key of the connection's address.
	key atomic.Pointer[addressKey]
}

// mostHeld is how many bytes are joined at most.
const mostHeld = 32 << 10

var heldBuffers = sync.Pool{New: func() any { return new([mostHeld]byte) }}

// gather begins to hold writes back.
func (c *connection) gather() { c.gathers = true }

// release writes what was held back.
func (c *connection) release() error {
	c.gathers = false
	return c.flush()
}

// Write implements net.Conn. What is held back counts as written; release,
// or a later Write, returns its error.
func (c *connection) Write(p []byte) (int, error) {
	if !c.gathers {
		return c.Conn.Write(p)
	}
	if c.length+len(p) > mostHeld {
		if err := c.flush(); err != nil {
			return 0, err
		}
		return c.Conn.Write(p)
	}
	if c.held == nil {
		c.held, _ = heldBuffers.Get().(*[mostHeld]byte)
	}
	c.length += copy(c.held[c.length:], p)
	return len(p), nil
}

func (c *connection) flush() error {
	if c.held == nil {
		return nil
	}
	_, err := c.Conn.Write(c.held[:c.length])
	heldBuffers.Put(c.held)
	c.held, c.length = nil, 0
	return err
}

// connections is a listener whose connections can gather.
type connections struct{ net.Listener }

// Accept implements net.Listener.
func (l connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c}, nil
}

type connectionKey struct{}

// withConnection lets a connection's requests find it.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if capped, ok := c.(*cappedConn); ok {
		c = capped.Conn
	}
	if own, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, own)
	}
	return ctx
}

// connectionOf returns the request's connection, nil where others use it at
// the same time (HTTP/2) or a test made the request.
func connectionOf(r *http.Request) *connection {
	if r.ProtoMajor != 1 {
		return nil
	}
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}
