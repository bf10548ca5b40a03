package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/iiifd/server"
)

// TestBodyGateAtCriticalPressure: where memory is critically short, a script
// route is refused before its body is read, so that the body books nothing;
// when it is no longer short, the same request is answered.
func TestBodyGateAtCriticalPressure(t *testing.T) {
	var resident atomic.Int64
	st := open(t, setup{
		dir: cases(t), unseen: true, resident: resident.Load,
		adjust:  func(c *server.Config) { c.BodyReadTimeout = time.Hour },
		scripts: map[string]string{"echo.lua": "server.print(#server.content)"}, routes: routesTo("echo.lua"),
	})
	press := func(bytes int64) {
		resident.Store(bytes)
		for range 4 { // Two samples trip it, two more let it down in two steps.
			st.admission.Tick()
		}
	}
	body := strings.Repeat("x", 100_000)
	post := func(path string, sent int) (status int, header http.Header, text string) {
		t.Helper()
		c := st.dial(t)
		if _, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: images.example\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body[:sent]); err != nil {
			t.Fatal(err)
		}
		a, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodPost})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		body, err := io.ReadAll(a.Body)
		if err != nil {
			t.Error(err)
		}
		return a.StatusCode, a.Header, string(body)
	}
	press(4 << 30)
	for _, sent := range []int{0, 10} { // The rest never comes: who waited for it would not answer.
		status, header, text := post("/echo", sent)
		if status != http.StatusServiceUnavailable || !strings.Contains(text, `"resource_pressure"`) || header.Get("Retry-After") == "" {
			t.Errorf("%d bytes sent: %d %v %s", sent, status, header, text)
		}
		if s := st.admission.Snapshot(); s.Budget.IngestInUseBytes != 0 || s.Queue.HeldBytes != 0 || s.Threads.InUse != 0 {
			t.Errorf("%d bytes sent: %+v %+v", sent, s.Budget, s.Queue)
		}
	}
	press(0)
	if status, _, text := post("/echo", len(body)); status != http.StatusOK || text != strconv.Itoa(len(body)) {
		t.Errorf("without pressure: %d %s", status, text)
	}
	st.idle(t)
}
