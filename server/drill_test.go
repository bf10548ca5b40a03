package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/iiifd/admission"
)

// later is a request under way.
type later struct {
	path string
	done chan answer
}

// ask sends a request and does not wait for its answer.
func (st *stand) later(t *testing.T, c *http.Client, path string, headers ...string) later {
	t.Helper()
	l := later{path, make(chan answer, 1)}
	go func() { l.done <- ask(t, c, http.MethodGet, st.url, path, headers...) }()
	return l
}

// overload takes every permit and every place in both queues, all for one
// client: n requests of each kind, of which 2 run.
func (st *stand) overload(t *testing.T, c *http.Client, queue int, headers ...string) (fulls, tiles []later) {
	t.Helper()
	for i := range 2 + queue {
		fulls = append(fulls, st.later(t, c, whole(i), headers...))
	}
	// Tiles may take any free permit, so the fulls have to hold theirs first.
	await(t, "the fulls", func() bool {
		s := st.admission.Snapshot()
		return s.Threads.FullInUse == 2 && s.Queue.FullWaiting == queue
	})
	for i := range 2 + queue {
		tiles = append(tiles, st.later(t, c, part(i), headers...))
	}
	await(t, "the overload", func() bool {
		s := st.admission.Snapshot()
		return s.Threads.InUse == 4 && s.Threads.FullInUse == 2 && s.Queue.FullWaiting == queue && s.Queue.TileWaiting == queue
	})
	return fulls, tiles
}

// answered waits for requests that must all be answered well.
func answered(t *testing.T, all []later) {
	t.Helper()
	for _, l := range all {
		if a := receive(t, l.path, l.done); a.err != nil || a.StatusCode != http.StatusOK {
			t.Errorf("%s: %v %v %s", l.path, a.err, a.Response, a.body)
		}
	}
}

// refusedBusy checks a refusal for now: 503 or 429 with a time to come back,
// which browsers may read.
func refusedBusy(t *testing.T, a answer, status int, code admission.Code) {
	t.Helper()
	if seconds := refusal(t, a, status, code); seconds > 75 {
		t.Errorf("Retry-After: %d", seconds)
	}
}

// refusal is refusedBusy for any time to come back, which it returns.
func refusal(t *testing.T, a answer, status int, code admission.Code) (seconds int) {
	t.Helper()
	problem(t, a, status, string(code))
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil || seconds < 1 || !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	return seconds
}

// light checks everything that must be answered while no decode can be
// admitted: what reduces load, and what only looks.
func (st *stand) light(t *testing.T, operator, cached string, headers ...string) {
	t.Helper()
	c := from(t, "127.0.0.9")
	hit := st.get(t, cached, headers...)
	if hit.StatusCode != http.StatusOK || len(hit.body) == 0 {
		t.Errorf("cache hit: %d %s", hit.StatusCode, hit.body)
	}
	if a := st.get(t, cached, append([]string{"If-None-Match: " + hit.Header.Get("ETag")}, headers...)...); a.StatusCode != http.StatusNotModified {
		t.Errorf("conditional: %d", a.StatusCode)
	}
	// What nobody has made can be known by its tag all the same.
	if a := st.get(t, part(700), append([]string{"If-None-Match: *"}, headers...)...); a.StatusCode != http.StatusNotModified {
		t.Errorf("conditional, not cached: %d", a.StatusCode)
	}
	for path, status := range map[string]int{
		"/livez": 200, "/readyz": 200, "/healthz": 200, "/iiif/3/I/info.json": 200, "/iiif/3/square.png/info.json": 200, "/iiif/3/I": 303,
		"/iiif/3/I/full/max/0/default.xyz": 400, "/iiif/3/none/full/max/0/default.jpg": 404, "/iiif/3/text.txt/file": 200,
	} {
		if a := st.get(t, path, headers...); a.StatusCode != status {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	if a := ask(t, c, http.MethodHead, st.url, cached, headers...); a.err != nil || a.StatusCode != http.StatusOK || a.ContentLength != int64(len(hit.body)) {
		t.Errorf("HEAD: %v %v", a.err, a.Response)
	}
	if a := ask(t, c, http.MethodHead, st.url, part(701), headers...); a.err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("HEAD, not cached: %v %v", a.err, a.Response)
	}
	if a := ask(t, c, http.MethodOptions, st.url, cached, headers...); a.err != nil || a.StatusCode != http.StatusNoContent {
		t.Errorf("OPTIONS: %v %v", a.err, a.Response)
	}
	for _, path := range []string{"/livez", "/readyz", "/healthz", "/metrics", "/admission", "/admission/decodes", "/admission/decisions", "/cache", "/"} {
		if a := ask(t, c, http.MethodGet, operator, path); a.err != nil || a.StatusCode != http.StatusOK {
			t.Errorf("operator %s: %v %v", path, a.err, a.Response)
		}
	}
	if a := ask(t, c, http.MethodPost, operator, "/admission/drain", "Authorization: Bearer wrong"); a.err != nil || a.StatusCode != http.StatusUnauthorized {
		t.Errorf("operator, wrong token: %v %v", a.err, a.Response)
	}
}

// TestDrillOverload: everything is full. New decodes are refused with a time
// to come back; what needs no decode is answered; who joins waits without a
// place of its own; an operator's cancel gives the permit to the next.
func TestDrillOverload(t *testing.T) {
	st, g, operator := drill(t, setup{set: map[string]string{"queue-max": "2"}})
	cached := part(799)
	if a := st.get(t, cached); a.StatusCode != http.StatusOK {
		t.Fatal(a.StatusCode, string(a.body))
	}
	g.close()
	greedy := from(t, "127.0.0.2")
	fulls, tiles := st.overload(t, greedy, 2)

	refusedBusy(t, ask(t, greedy, http.MethodGet, st.url, whole(90)), http.StatusServiceUnavailable, admission.CodeQueueFull)
	refusedBusy(t, ask(t, greedy, http.MethodGet, st.url, part(90)), http.StatusServiceUnavailable, admission.CodeQueueFull)
	st.light(t, operator, cached)

	joined := st.later(t, greedy, g.path(t, fulls))
	await(t, "the second request", func() bool { return st.gauge("iiifd_http_requests_in_flight") == 9 })
	if s := st.admission.Snapshot(); s.Queue.FullWaiting != 2 || s.Queue.TileWaiting != 2 || s.ShedTotal != 2 {
		t.Errorf("%+v, %d shed", s.Queue, s.ShedTotal)
	}

	// Cancel the full that nobody joined.
	before := g.running()
	victim := ""
	for _, d := range decodes(t, operator) {
		if d.Lane == admission.LaneFull && !strings.HasSuffix(joined.path, d.Label) {
			victim = d.ID
			if a := ask(t, greedy, http.MethodDelete, operator, "/admission/decodes/"+d.ID, "Authorization: Bearer "+operatorToken); a.err != nil || a.StatusCode != http.StatusAccepted {
				t.Errorf("cancel: %v %v", a.err, a.Response)
			}
			fulls = slices.DeleteFunc(fulls, func(l later) bool {
				if !strings.HasSuffix(l.path, d.Label) {
					return false
				}
				refusedBusy(t, receive(t, "the cancelled request", l.done), http.StatusServiceUnavailable, "cancelled")
				return true
			})
			break
		}
	}
	if victim == "" {
		t.Fatal("no full was listed")
	}
	await(t, "the next full to be granted", func() bool {
		s := st.admission.Snapshot()
		return s.Threads.FullInUse == 2 && s.Queue.FullWaiting == 1
	})
	await(t, "the next full to begin", func() bool {
		return slices.ContainsFunc(g.running(), func(name string) bool { return !slices.Contains(before, name) })
	})
	g.open()
	answered(t, append(append(fulls, tiles...), joined))
	if got := st.gauge("iiifd_admission_replayed_total"); got != 4 { // One hit, two conditional requests, one that joined.
		t.Errorf("%v replays were counted, want 4", got)
	}
	st.idle(t)
}

// path returns the path of a full that is running.
func (g *gate) path(t *testing.T, all []later) string {
	t.Helper()
	for _, l := range all {
		for _, name := range g.running() {
			if strings.HasSuffix(l.path, name) {
				return l.path
			}
		}
	}
	t.Fatalf("none of them runs: %v", g.running())
	return ""
}

// decodes asks the operator listener for what runs.
func decodes(t *testing.T, operator string) []admission.Decode {
	t.Helper()
	c := direct(nil)
	defer c.CloseIdleConnections()
	a := ask(t, c, http.MethodGet, operator, "/admission/decodes")
	var list struct{ Decodes []admission.Decode }
	if a.err != nil {
		t.Fatal(a.err)
	}
	if err := json.Unmarshal(a.body, &list); err != nil {
		t.Fatal(err)
	}
	return list.Decodes
}

// TestDrillQuotaUntouched: with every permit held and a client's quota used
// up, the client still gets what needs no decode, and no refusal, wherever
// it falls, changes what the quota has counted.
func TestDrillQuotaUntouched(t *testing.T) {
	digest := func(key string) string {
		sum := sha256.Sum256([]byte(key))
		return hex.EncodeToString(sum[:])
	}
	st, g, operator := drill(t, setup{set: map[string]string{
		"queue-max": "1", "memory-limit": "400Mi", "api-keys-file": save(t, "alpha "+digest("alpha's key")+"\nbeta "+digest("beta's key")+"\n"),
		"admission-config": save(t, `{"requests_per_window":1000,"window_seconds":3600,"client_active":3,"client_pending":2,"global_active":100,
			"global_executing":4,"clients":{"alpha":{"requests_per_window":5,"window_seconds":3600,"active":20,"pending":10}}}`),
	}})
	alpha, beta := "Authorization: Bearer alpha's key", "X-API-Key: beta's key"
	used := func() string {
		s, err := json.Marshal(st.admission.Snapshot().Quota)
		if err != nil {
			t.Fatal(err)
		}
		return string(s)
	}
	refuse := func(who, path string, status int, code admission.Code) {
		t.Helper()
		before := used()
		a := st.get(t, path, who)
		if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			problem(t, a, status, string(code))
			if a.Header.Get("Retry-After") != "" {
				t.Errorf("%s: Retry-After: %s", path, a.Header.Get("Retry-After"))
			}
		} else if seconds := refusal(t, a, status, code); seconds > 3600 {
			t.Errorf("%s: Retry-After: %d", path, seconds)
		}
		if after := used(); after != before {
			t.Errorf("%s %s changed the quota:\n%s\n%s", path, code, before, after)
		}
	}

	cached := part(799)
	if a := st.get(t, cached, alpha); a.StatusCode != http.StatusOK {
		t.Fatal(a.StatusCode, string(a.body))
	}
	g.close()
	c := from(t, "127.0.0.2")
	fulls, tiles := st.overload(t, c, 0, alpha) // With the cached one these are five.
	refuse(alpha, whole(90), http.StatusTooManyRequests, admission.CodeClientRate)
	refuse(alpha, part(90), http.StatusTooManyRequests, admission.CodeClientRate)
	for _, who := range []string{alpha, beta} {
		refuse(who, "/iiif/3/line.png/full/max/0/default.png", http.StatusRequestEntityTooLarge, admission.CodeExceedsBudget)
		refuse(who, "/iiif/3/square.png/full/^90000,/0/default.png", http.StatusBadRequest, "size_exceeds_limits")
	}
	for i := range 2 {
		fulls = append(fulls, st.later(t, c, []func(int) string{whole, part}[i](80), beta))
	}
	await(t, "beta to wait", func() bool {
		q := st.admission.Snapshot().Queue
		return q.FullWaiting == 1 && q.TileWaiting == 1
	})
	refuse(beta, whole(91), http.StatusTooManyRequests, admission.CodeClientPending)
	refuse(beta, part(91), http.StatusTooManyRequests, admission.CodeClientPending)
	before := used()
	for range 10 {
		st.light(t, operator, cached, alpha)
	}
	joined := st.later(t, c, g.path(t, tiles), alpha)
	await(t, "the second request", func() bool { return st.gauge("iiifd_http_requests_in_flight") == 7 })
	if after := used(); after != before {
		t.Errorf("what needs no decode changed the quota:\n%s\n%s", before, after)
	}
	g.open()
	answered(t, append(append(fulls, tiles...), joined))
	st.idle(t)
}

// TestDrillBurst: one client's two thousand simultaneous requests neither
// make another client's single one fail nor let it wait for more than two
// grants.
func TestDrillBurst(t *testing.T) {
	for lane, path := range map[admission.Lane]func(int) string{admission.LaneTile: part, admission.LaneFull: whole} {
		t.Run(string(lane), func(t *testing.T) {
			st, g, _ := drill(t, setup{})
			g.close()
			greedy, other := from(t, "127.0.0.2"), from(t, "127.0.0.3")
			const burst = 2000
			running, queue := 4, 512
			if lane == admission.LaneFull {
				running = 2
			}
			var all []later
			for i := range burst {
				all = append(all, st.later(t, greedy, path(i+1)))
			}
			waiting := func() int {
				q := st.admission.Snapshot().Queue
				return q.TileWaiting + q.FullWaiting
			}
			await(t, "the burst", func() bool {
				s := st.admission.Snapshot()
				return waiting() == queue && s.ShedTotal == uint64(burst-queue-running)
			})
			for range running {
				receive(t, "a decode of the burst", g.begun)
			}
			single := st.later(t, other, path(0))
			await(t, "the other client's request", func() bool { return st.admission.Snapshot().Queue.KeysWaiting == 2 })
			// Let one end after the other until the single one begins.
			name := strings.SplitN(path(0), "/", 5)[4]
			grants := 0
			for began := ""; began != name; grants++ {
				if grants == 3 {
					t.Fatal("the single request is still waiting after two grants")
				}
				g.pass(g.running()[0], nil)
				began = receive(t, "the next decode", g.begun)
			}
			g.open()
			answered(t, []later{single})
			got := map[int]int{}
			for _, l := range all {
				a := receive(t, l.path, l.done)
				if a.err != nil {
					t.Fatal(a.err)
				}
				got[a.StatusCode]++
				if a.StatusCode == http.StatusServiceUnavailable && a.Header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			}
			// The other's request took the place of one of the burst's.
			if got[http.StatusOK] != queue+running-1 || got[http.StatusServiceUnavailable] != burst-queue-running+1 {
				t.Errorf("%v", got)
			}
			st.idle(t)
		})
	}
}

// TestDrillDrain: waiters get 503 draining, what runs ends well, and what
// needs no decode is answered still.
func TestDrillDrain(t *testing.T) {
	st, g, operator := drill(t, setup{set: map[string]string{"queue-max": "3"}})
	cached := part(799)
	st.get(t, cached)
	g.close()
	c := from(t, "127.0.0.2")
	fulls, tiles := st.overload(t, c, 3)
	running := g.running()
	if a := ask(t, c, http.MethodPost, operator, "/admission/drain", "Authorization: Bearer "+operatorToken); a.err != nil || a.StatusCode != http.StatusAccepted {
		t.Fatal(a.err, a.Response)
	}
	var rest []later
	for _, l := range append(fulls, tiles...) {
		if slices.ContainsFunc(running, func(name string) bool { return strings.HasSuffix(l.path, name) }) {
			rest = append(rest, l)
			continue
		}
		refusedBusy(t, receive(t, "a waiter", l.done), http.StatusServiceUnavailable, admission.CodeDraining)
	}
	if len(rest) != 4 {
		t.Errorf("%d are running", len(rest))
	}
	refusedBusy(t, st.get(t, part(600)), http.StatusServiceUnavailable, admission.CodeDraining)
	problem(t, st.get(t, "/readyz"), http.StatusServiceUnavailable, "draining")
	if a := st.get(t, cached); a.StatusCode != http.StatusOK {
		t.Errorf("a cached answer: %d", a.StatusCode)
	}
	if err := st.admission.Idle(over(t)); err == nil {
		t.Error("idle while four decodes run")
	}
	g.open()
	answered(t, rest)
	if err := st.admission.Idle(t.Context()); err != nil {
		t.Error(err)
	}
	st.idle(t)
}

// TestDrillPanic: decodes that panic, more of them than there are permits,
// leave everything as it was.
func TestDrillPanic(t *testing.T) {
	st, g, _ := drill(t, setup{})
	g.fail = func() { panic("in a decode") }
	for i := range 9 {
		problem(t, st.get(t, whole(i)), http.StatusInternalServerError, "internal")
		problem(t, st.get(t, part(i)), http.StatusInternalServerError, "internal")
	}
	st.idle(t)
	g.fail = nil
	for i := range 9 {
		if a := st.get(t, part(i)); a.StatusCode != http.StatusOK {
			t.Errorf("afterwards: %d", a.StatusCode)
		}
	}
	st.idle(t)
}

// TestDrillConditionalCounts: an answer that needs no permit is counted as
// what it is.
func TestDrillConditionalCounts(t *testing.T) {
	st, _, _ := drill(t, setup{})
	etag := st.get(t, part(0)).Header.Get("ETag")
	for range 3 {
		if a := st.get(t, part(0), "If-None-Match: "+etag); a.StatusCode != http.StatusNotModified {
			t.Fatal(a.StatusCode)
		}
	}
	if got := st.gauge("iiifd_admission_replayed_total"); got != 3 {
		t.Errorf("%v replays were counted, want 3", got)
	}
	st.idle(t)
}
