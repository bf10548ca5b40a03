package server

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// silence is how long a new connection may stay without a whole request's
// head, its TLS handshake included, before it counts as an idle one.
const silence = time.Second

// capped is a listener with a bound on its open connections. At the bound,
// the connection that has been idle longest, between two requests of its
// client or without its first one, makes room for a new one; where all are at
// work, the new one waits and further ones stay in the kernel's queue. Idle
// connections cost their clients nothing to replace, and kept-alive or silent
// ones would lock everybody else out for as long as they are kept.
type capped struct {
	net.Listener
	most int
	// evicted is called for each connection that had to make room.
	evicted func()
	// changed is called, one call at a time, with the numbers of connections
	// that are open and of those that are idle.
	changed func(open, idle int)

	mu     sync.Mutex
	change sync.Cond // of what stands below
	open   int
	idle   list.List // of *cappedConn, the longest idle first
	closed bool
}

func newCapped(l net.Listener, most int, evicted func(), changed func(open, idle int)) *capped {
	c := &capped{Listener: l, most: most, evicted: evicted, changed: changed}
	c.change.L = &c.mu
	return c
}

// Accept implements net.Listener.
func (l *capped) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.admit() {
		_ = c.Close() // It was never served.
		return nil, net.ErrClosed
	}
	return &cappedConn{Conn: c, of: l}, nil
}

// admit waits until there is room for one more; false where the listener was
// closed before.
func (l *capped) admit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open >= l.most && !l.closed {
		longest := l.idle.Front()
		if longest == nil {
			l.change.Wait()
			continue
		}
		c, _ := l.idle.Remove(longest).(*cappedConn)
		c.place = nil
		l.mu.Unlock()
		_ = c.Close() // Its client sees the same as after an idle time-out.
		l.evicted()
		l.mu.Lock()
	}
	if l.closed {
		return false
	}
	l.open++
	l.changed(l.open, l.idle.Len())
	return true
}

// Close implements net.Listener; it ends a wait for room.
func (l *capped) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.change.Broadcast()
	return l.Listener.Close()
}

// follow is an http.Server's ConnState: it tells which connections are idle.
func (l *capped) follow(conn net.Conn, state http.ConnState) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, ok := conn.(*cappedConn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.leaveLocked()
	switch {
	case c.closed:
	case state == http.StateIdle:
		l.standByLocked(c)
	case state == http.StateNew:
		c.silent = time.AfterFunc(silence, func() { l.overhear(c) })
	}
	l.changed(l.open, l.idle.Len())
}

// overhear takes note that nothing was heard of a new connection.
func (l *capped) overhear(c *cappedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.silent != nil {
		l.standByLocked(c)
		l.changed(l.open, l.idle.Len())
	}
}

// standByLocked puts a connection last among those that may have to make room.
func (l *capped) standByLocked(c *cappedConn) {
	c.place = l.idle.PushBack(c)
	l.change.Signal()
}

// cappedConn gives its room back when it is closed.
type cappedConn struct {
	net.Conn
	of *capped

	// Guarded by of.mu.
	place  *list.Element // among the idle ones; nil where it is not
	silent *time.Timer   // until nothing was heard of a new one for too long; nil from its first request on
	closed bool
}

// Close implements net.Conn.
func (c *cappedConn) Close() error {
	err := c.Conn.Close()
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.leaveLocked()
	if !c.closed {
		c.closed = true
		c.of.open--
		c.of.changed(c.of.open, c.of.idle.Len())
		c.of.change.Signal()
	}
	return err
}

// leaveLocked ends a connection's time among the idle ones, and its wait for
// that.
func (c *cappedConn) leaveLocked() {
	if c.silent != nil {
		c.silent.Stop()
		c.silent = nil
	}
	if c.place != nil {
		c.of.idle.Remove(c.place)
		c.place = nil
	}
}
