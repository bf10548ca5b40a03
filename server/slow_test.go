package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.com/iiifd/server"
)

// pipes is a listener whose connections have no buffer at all: a byte is
// written when it is read.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// stall is the write time-out of these tests, in the bubble's time.
const stall = 10 * time.Second

// slow runs f with a connection to a server of a large original file,
// within a bubble where time is not real.
func slow(t *testing.T, f func(t *testing.T, st *stand, c net.Conn, content []byte)) {
	t.Helper()
	dir := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16)
	if err := os.WriteFile(filepath.Join(dir, "big.bin"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	st := build(t, setup{dir: dir, adjust: func(c *server.Config) { c.WriteTimeout = stall }})
	synctest.Test(t, func(t *testing.T) {
		st.access.lines = make(chan []byte, 100) // A channel from outside would stop the bubble's time.
		l := newPipes()
		st.ServeOn(l)
		c := l.dial()
		f(t, st, c, content)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-st.Failed(); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}

const bigRequest = "GET /iiif/3/big.bin/file HTTP/1.1\r\nHost: images.example\r\n\r\n"

// TestSlowButSteady shows that a client which takes each piece within its
// time gets all of the file, however long that takes.
func TestSlowButSteady(t *testing.T) {
	slow(t, func(t *testing.T, st *stand, c net.Conn, content []byte) {
		t.Helper()
		if _, err := io.WriteString(c, bigRequest); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var got []byte
		whole := len(content)
		for pause := stall / 20; len(got) < whole; pause = stall + stall/20 - pause {
			time.Sleep(pause - time.Millisecond) // Long and short by turns.
			piece := make([]byte, min(64<<10, whole-len(got)))
			if _, err := io.ReadFull(c, piece); err != nil {
				t.Fatalf("cut off after %v and %d bytes: %v", time.Since(began), len(got), err)
			}
			if got == nil {
				whole += bytes.Index(piece, []byte("\r\n\r\n")) + 4
			}
			got = append(got, piece...)
		}
		if !bytes.HasSuffix(got, content) || !bytes.HasPrefix(got, []byte("HTTP/1.1 200 ")) {
			t.Error("not the file")
		}
		if took := time.Since(began); took < 5*time.Minute {
			t.Errorf("took only %v: nothing was slow", took)
		}
	})
}

// TestStalledReader shows that a client which takes nothing any more is cut
// off in time, and that the log says so.
func TestStalledReader(t *testing.T) {
	slow(t, func(t *testing.T, st *stand, c net.Conn, content []byte) {
		t.Helper()
		if _, err := io.WriteString(c, bigRequest); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 100<<10)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		line := <-st.access.lines
		if took := time.Since(began); took < stall || took > 2*stall {
			t.Errorf("cut after %v", took)
		}
		if !bytes.Contains(line, []byte(`"code":"client_gone"`)) || !bytes.Contains(line, []byte(`"reset":true`)) {
			t.Errorf("%s", line)
		}
		if rest, err := io.ReadAll(c); err == nil && len(rest)+100<<10 > len(content) {
			t.Error("the answer went on to its end")
		}
	})
}

// h2 starts HTTP/2 on a connection and asks for the large file, with room
// for window bytes of the answer.
func h2(t *testing.T, c net.Conn, window uint32) *http2.Framer {
	t.Helper()
	f := http2.NewFramer(c, c)
	f.SetMaxReadFrameSize(1 << 20)
	var head bytes.Buffer
	e := hpack.NewEncoder(&head)
	for _, h := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "images.example"}, {":path", "/iiif/3/big.bin/file"}} {
		if err := e.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]}); err != nil {
			t.Fatal(err)
		}
	}
	// The server writes while it is written to, and a pipe holds nothing.
	go func() {
		_, _ = io.WriteString(c, http2.ClientPreface)
		_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
		_ = f.WriteSettingsAck()
		_ = f.WriteWindowUpdate(0, 1<<30)
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true})
	}()
	return f
}

// TestStalledHTTP2 shows the same for a client of HTTP/2 that reads nothing
// any more, and for one that reads all but opens its window no further.
func TestStalledHTTP2(t *testing.T) {
	for name, window := range map[string]uint32{"no reads": 1 << 30, "no window": 64 << 10} {
		t.Run(name, func(t *testing.T) {
			slow(t, func(t *testing.T, st *stand, c net.Conn, _ []byte) {
				t.Helper()
				f := h2(t, c, window)
				got := 0
				for got < 60<<10 {
					frame, err := f.ReadFrame()
					if err != nil {
						t.Fatal(err)
					}
					if d, ok := frame.(*http2.DataFrame); ok {
						got += len(d.Data())
					}
				}
				began := time.Now()
				reset := false
				if window < 1<<30 {
					for !reset {
						frame, err := f.ReadFrame()
						if err != nil {
							t.Fatal(err)
						}
						_, reset = frame.(*http2.RSTStreamFrame)
					}
				}
				line := <-st.access.lines
				if took := time.Since(began); took > 4*stall {
					t.Errorf("cut after %v", took)
				}
				if !bytes.Contains(line, []byte(`"reset":true`)) {
					t.Errorf("%s", line)
				}
			})
		})
	}
}
