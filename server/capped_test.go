package server_test

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/iiifd/server"
)

// accepting hands on what a listener accepts.
func accepting(l net.Listener) (accepted <-chan net.Conn, ended <-chan error) {
	conns, end := make(chan net.Conn, 10), make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				end <- err
				return
			}
			conns <- c
		}
	}()
	return conns, end
}

// TestCapped follows connections through the states that net/http reports.
func TestCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		evicted := 0
		below := newPipes()
		l, follow := server.NewCapped(below, 2, func() { evicted++ })
		accepted, ended := accepting(l)
		below.dial()
		below.dial()
		one, two := <-accepted, <-accepted
		for _, c := range []net.Conn{one, two} {
			follow(c, http.StateNew)
			follow(c, http.StateActive)
		}
		go below.dial()
		synctest.Wait()
		if len(accepted) > 0 {
			t.Fatal("accepted above the cap while all are at work")
		}
		// A connection that net/http wraps for TLS is known all the same.
		follow(tls.Server(two, &tls.Config{MinVersion: tls.VersionTLS12}), http.StateIdle)
		three := <-accepted
		follow(three, http.StateActive)
		if _, err := two.Write([]byte("x")); err == nil || evicted != 1 {
			t.Errorf("the idle connection is still open; %d evicted", evicted)
		}
		follow(two, http.StateClosed)
		_ = two.Close() // As net/http does once more.
		go below.dial()
		synctest.Wait()
		if len(accepted) > 0 {
			t.Fatal("a connection closed twice gave two places back")
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		four := <-accepted
		follow(four, http.StateIdle)
		follow(four, http.StateActive)
		go below.dial()
		synctest.Wait()
		if len(accepted) > 0 {
			t.Fatal("a connection that is at work again made room")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
		if evicted != 1 {
			t.Errorf("%d evicted", evicted)
		}
	})
}

// TestSilentConnections shows that connections without a request make room
// after a second, and that a request in time keeps them.
func TestSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		evicted := 0
		below := newPipes()
		l, follow := server.NewCapped(below, 2, func() { evicted++ })
		accepted, ended := accepting(l)
		below.dial()
		below.dial()
		heard, silent := <-accepted, <-accepted
		for _, c := range []net.Conn{heard, silent} {
			follow(c, http.StateNew)
		}
		go below.dial()
		time.Sleep(900 * time.Millisecond)
		follow(heard, http.StateActive)
		synctest.Wait()
		if len(accepted) > 0 {
			t.Fatal("accepted above the cap within the silence that is allowed")
		}
		time.Sleep(100 * time.Millisecond)
		third := <-accepted
		if _, err := silent.Write([]byte("x")); err == nil || evicted != 1 {
			t.Errorf("the silent connection is still open; %d evicted", evicted)
		}
		follow(silent, http.StateClosed)
		time.Sleep(time.Hour)
		go below.dial()
		synctest.Wait()
		if len(accepted) > 0 {
			t.Fatal("a connection at work made room")
		}
		_ = third.Close()
		fourth := <-accepted
		follow(fourth, http.StateNew)
		_ = fourth.Close() // Its timer has nothing to do any more.
		time.Sleep(time.Hour)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}
