package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// pieces is a connection that keeps what is written, and in which pieces.
type pieces struct {
	net.Conn
	sizes []int
	all   bytes.Buffer
	fails error
}

func (p *pieces) Write(b []byte) (int, error) {
	if p.fails != nil {
		return 0, p.fails
	}
	p.sizes = append(p.sizes, len(b))
	p.all.Write(b)
	if p.Conn == nil {
		return len(b), nil
	}
	return p.Conn.Write(b)
}

func TestConnectionJoinsSmallWrites(t *testing.T) {
	p := &pieces{}
	c := &connection{Conn: p}
	var want []byte
	write := func(n int) {
		b := bytes.Repeat([]byte{byte(len(want))}, n)
		want = append(want, b...)
		if got, err := c.Write(b); got != n || err != nil {
			t.Fatalf("%d, %v", got, err)
		}
	}
	write(10)
	c.gather()
	write(4096)
	write(10_000)
	if err := c.release(); err != nil {
		t.Fatal(err)
	}
	write(20)
	c.gather()
	write(4096)
	write(mostHeld)
	write(5)
	if err := c.release(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.sizes, []int{10, 14_096, 20, 4096, mostHeld, 5}) {
		t.Error("written in pieces of", p.sizes)
	}
	if !bytes.Equal(p.all.Bytes(), want) {
		t.Error("other bytes came out than went in")
	}
}

func TestConnectionTellsOfHeldWritesThatFail(t *testing.T) {
	p := &pieces{fails: net.ErrClosed}
	c := &connection{Conn: p}
	c.gather()
	if _, err := c.Write([]byte("head")); err != nil {
		t.Fatal(err)
	}
	if err := c.release(); !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
	w := newWriter(httptest.NewRecorder(), c, time.Second, time.NewTimer(time.Hour))
	w.ResponseWriter = through{w.ResponseWriter, c}
	if _, err := w.Write([]byte("body")); !errors.Is(err, errClientGone) || w.failed == nil {
		t.Fatal(err)
	}
}

// through writes to the connection as net/http would.
type through struct {
	http.ResponseWriter
	c *connection
}

func (t through) Write(b []byte) (int, error) { return t.c.Write(b) }

// TestAnswerIsOnePiece asks over a real connection: head and body of a tile's
// size leave in one write.
func TestAnswerIsOnePiece(t *testing.T) {
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counted := &pieces{}
	body := bytes.Repeat([]byte("tile"), 3000)
	s := http.Server{
		ReadHeaderTimeout: time.Minute,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			own, _ := c.(*connection)
			counted.Conn = own.Conn
			own.Conn = counted
			return withConnection(ctx, c)
		},
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(time.Hour)
			defer timer.Stop()
			if _, err := newWriter(rw, connectionOf(r), time.Minute, timer).Write(body); err != nil {
				t.Error(err)
			}
		}),
	}
	go func() { _ = s.Serve(connections{inner}) }()
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+inner.Addr().String()+"/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !bytes.Equal(got, body) {
		t.Fatal("another body", len(got), err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The chunked body's end may be a second one: no length was set.
	if len(counted.sizes) > 2 || counted.sizes[0] < len(body) {
		t.Error("written in pieces of", counted.sizes)
	}
}
