package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/server"
)

// stuck is a client that asks and then reads nothing.
func (st *stand) stuck(t *testing.T, path string) net.Conn {
	t.Helper()
	c := st.dial(t)
	if tcp, ok := c.(*net.TCPConn); ok {
		if err := tcp.SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: images.example\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDrillSlowReaders: a hundred clients that never read hold neither
// permits nor more memory than the egress ledger has; tiles are served as if
// they were not there.
func TestDrillSlowReaders(t *testing.T) {
	const readers = 100
	for name, size := range map[string]int{"in memory": 4 << 20, "spooled": 9 << 20} {
		t.Run(name, func(t *testing.T) {
			st, g, _ := drill(t, setup{set: map[string]string{"egress-bytes": "16Mi"}})
			var conns []net.Conn
			for i := range readers {
				g.size[strings.SplitN(part(i), "/", 5)[4]] = size
			}
			for i := range readers {
				conns = append(conns, st.stuck(t, part(i)))
			}
			awaitProgress(t, "all answers to be made", func() (float64, bool) {
				s := st.admission.Snapshot()
				if s.Budget.EgressInUseBytes > s.Budget.EgressLimitBytes {
					t.Fatalf("more egress than allowed: %+v", s.Budget)
				}
				filled := st.gauge("iiifd_cache_fills_total")
				return filled, filled >= readers && s.Threads.InUse == 0
			})
			if n := st.gauge("iiifd_http_requests_in_flight"); n != readers {
				t.Errorf("%v are in flight: this test sees nothing", n)
			}
			for i := range readers {
				if a := st.get(t, part(readers+i)); a.StatusCode != http.StatusOK {
					t.Fatalf("a tile: %d", a.StatusCode)
				}
			}
			for _, c := range conns {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			st.idle(t)
		})
	}
}

// TestDrillSlowReadersWithoutDisk: where answers cannot be spooled, a full
// keeps its lease until its reader has taken enough or is cut off; tiles'
// permits are not touched.
func TestDrillSlowReadersWithoutDisk(t *testing.T) {
	st, g, _ := drill(t, setup{
		set:    map[string]string{"egress-bytes": "4Mi", "cache-dir": "off"},
		adjust: func(c *server.Config) { c.WriteTimeout = 2 * time.Second },
	})
	for i := range 4 {
		g.mu.Lock() // The ones before are at work.
		g.size[strings.SplitN(whole(i), "/", 5)[4]] = 32 << 20
		g.mu.Unlock()
		st.stuck(t, whole(i))
	}
	await(t, "fulls to hold their leases", func() bool { return st.admission.Snapshot().Threads.FullInUse == 2 })
	if a := st.get(t, part(0)); a.StatusCode != http.StatusOK {
		t.Errorf("a tile: %d", a.StatusCode)
	}
	for range 5 {
		if _, values := st.access.next(t); values["status"] == 200.0 && values["reset"] != true && values["bytes"].(float64) > 1000 {
			t.Errorf("%v", values)
		}
	}
	st.idle(t)
}

// TestSlowBody shows that a request's body that does not come holds nothing
// up for longer than the body time-out, whoever ought to read it.
func TestSlowBody(t *testing.T) {
	st := open(t, setup{dir: cases(t), adjust: func(c *server.Config) { c.BodyReadTimeout = 200 * time.Millisecond }})
	for _, request := range []string{"GET /livez", "GET /iiif/3/I/info.json", "GET /iiif/3/I/full/100,/0/default.jpg", "POST /iiif/3/I/info.json", "PUT /nothing"} {
		for _, body := range []string{"Content-Length: 100\r\n\r\nx", "Content-Length: 1000000\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"} {
			c := st.dial(t)
			if _, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: images.example\r\n%s", request, body); err != nil {
				t.Fatal(err)
			}
			if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 ") {
				t.Errorf("%s, %q: %v %q", request, body, err, answer)
			}
		}
	}
	st.idle(t)
}

// TestBodyReadInTime shows that the time-out for a body ends with the body:
// the work that follows may take longer.
func TestBodyReadInTime(t *testing.T) {
	const timeout = 100 * time.Millisecond
	st, g, _ := drill(t, setup{adjust: func(c *server.Config) { c.BodyReadTimeout = timeout }})
	g.close()
	done := make(chan answer, 1)
	began := time.Now()
	go func() {
		c := direct(nil)
		defer c.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, st.url+part(0), strings.NewReader("a body that nobody needs"))
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := c.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		done <- answer{Response: resp, err: err}
	}()
	receive(t, "the decode", g.begun)
	await(t, "the time-out to pass", func() bool { return time.Since(began) > 3*timeout })
	g.open()
	if a := receive(t, "the answer", done); a.err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("%v %v", a.err, a.Response)
	}
	st.idle(t)
}
