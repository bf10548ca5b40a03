package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/iiifd/render"
	"example.com/iiifd/server"
)

// manifest2 and manifest3 show images of this server (one of them twice),
// one of another place below the same name, and what is no image service.
const (
	manifest2 = `{"@context":"http://iiif.io/api/presentation/2/context.json","@id":"https://example.org/m","@type":"sc:Manifest",
	"sequences":[{"canvases":[
	 {"images":[{"resource":{"@id":"%[1]s/iiif/2/I/full/full/0/default.jpg","service":{"@context":"http://iiif.io/api/image/2/context.json","@id":"%[1]s/iiif/2/I","profile":"http://iiif.io/api/image/2/level2.json"}}}]},
	 {"thumbnail":{"service":[{"@id":"%[1]s/iiif/2/I/","profile":["http://iiif.io/api/image/2/level2.json"]}]},
	  "images":[{"resource":{"service":{"@id":"%[1]s/iiif/2/sub%%2Finner.png","profile":"http://iiif.io/api/image/2/level1.json"}}}]},
	 {"images":[{"resource":{"service":{"@id":"%[1]s/elsewhere/x","profile":"http://iiif.io/api/image/2/level1.json"}}}]}]}],
	"service":{"@id":"%[1]s/iiif/2/square.png","profile":"http://iiif.io/api/auth/1/login"}}`
	manifest3 = `{"@context":"http://iiif.io/api/presentation/3/context.json","id":"https://example.org/m","type":"Manifest",
	"items":[{"type":"Canvas","items":[{"type":"AnnotationPage","items":[{"type":"Annotation","body":{"type":"Image",
	 "id":"%[1]s/img/I/full/max/0/default.jpg","service":[{"id":"%[1]s/img/I","type":"ImageService3","profile":"level2"}]}}]}]},
	 {"type":"Canvas","items":[{"type":"AnnotationPage","items":[{"type":"Annotation","body":{"type":"Image",
	 "service":[{"@id":"%[1]s/iiif/2/gray.png","@type":"ImageService2"}]}}]}]}]}`
)

// warmed waits until the newest order has ended.
func (o *operator) warmed(t *testing.T, body string) render.WarmState {
	t.Helper()
	var order render.WarmState
	o.must(t, http.StatusAccepted, http.MethodPost, "/cache/warm", body, &order)
	var status render.WarmStatus
	await(t, "the order's end", func() bool {
		o.must(t, http.StatusOK, http.MethodGet, "/cache/warm", "", &status)
		return status.Orders[0].ID == order.ID && !status.Orders[0].Ended.IsZero()
	})
	if status.Waiting != 0 || status.Running != 0 {
		t.Errorf("%+v", status)
	}
	return status.Orders[0]
}

func TestOperatorWarm(t *testing.T) {
	d := &fake{}
	st := open(t, setup{dir: cases(t), decoder: d.around, unseen: true})
	o := operate(t, st, loopback(t))
	if s := o.warmed(t, `{"ids":["I","sub/inner.png","none"],"sizes":["100,","!50,50"],"levels":2,"format":"png"}`); s.Images != 3 || s.Made != 7+2 ||
		fmt.Sprint(s.Failures) != "[{sub/inner.png full/100,/0/default.png size_upscales} {none  not_found}]" {
		t.Errorf("%+v", s)
	}
	made := d.renders.Load()
	for _, path := range []string{
		"/iiif/3/I/full/100,/0/default.png", "/iiif/2/I/full/!50,50/0/default.png", "/iiif/3/I/full/500,400/0/default.png",
		"/iiif/3/I/0,0,512,512/512,512/0/default.png", "/iiif/3/I/512,512,488,288/488,288/0/default.png", "/iiif/3/sub%2Finner.png/full/max/0/default.png",
	} {
		if a := st.get(t, path); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	if n := d.renders.Load(); n != made {
		t.Errorf("%d answers had to be made", n-made)
	}
	if n := st.gauge("iiifd_admission_fanout_total"); n != 9+2 {
		t.Errorf("%v counted", n)
	}
	// What viewers show first, where the order leaves it open.
	if s := o.warmed(t, `{"ids":["square.png"]}`); s.Made != 1 {
		t.Errorf("%+v", s)
	}
	if s := o.warmed(t, `{"ids":["square.png"],"levels":0,"sizes":["max"],"mount":"/internal/pictures"}`); s.Known != 1 {
		t.Errorf("%+v", s)
	}
}

func TestOperatorWarmManifest(t *testing.T) {
	var kept server.Config
	st := open(t, setup{dir: cases(t), unseen: true, adjust: func(c *server.Config) { kept = *c }})
	o := operate(t, st, loopback(t))
	two, three := fmt.Sprintf(manifest2, "https://old.name.example"), fmt.Sprintf(manifest3, st.url)
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/m.json" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, two)
	}))
	t.Cleanup(remote.Close)
	quoted, err := json.Marshal(remote.URL + "/m.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body   string
		images int
	}{
		"2 itself": {two, 2}, "3 itself": {three, 2},
		"2 within":  {`{"manifest":` + two + `,"sizes":["20,"]}`, 2},
		"3 within":  {`{"manifest":` + three + `,"sizes":["20,"]}`, 2},
		"2 fetched": {`{"manifest":` + string(quoted) + `,"sizes":["30,"]}`, 2},
	} {
		if s := o.warmed(t, c.body); s.Images != c.images || s.Failed != 0 || s.Made+s.Known < c.images {
			t.Errorf("%s: %+v", name, s)
		}
	}
	kept.BaseURL = "https://images.example"
	if err := st.Reload(kept); err != nil {
		t.Fatal(err)
	}
	if a := o.do(t, http.MethodPost, "/cache/warm", two, operatorToken); a.StatusCode != http.StatusBadRequest || !strings.Contains(string(a.body), "no image of this server") {
		t.Errorf("another server's images: %d %s", a.StatusCode, a.body)
	}
	if s := o.warmed(t, fmt.Sprintf(manifest2, "https://images.example/behind/a/proxy")); s.Images != 2 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestOperatorWarmRefuses(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true})
	o := operate(t, st, loopback(t))
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	for body, says := range map[string]string{
		"": "", "[]": "", "{": "", "null": "nothing is named", "{}": "nothing is named", `{"ids":[]}`: "nothing is named", `{"ids":"I"}`: "",
		`{"ids":["I"],"sizes":["0,"]}`:                   "size",
		`{"ids":["I"],"sizes":["50,/0/default.jpg"]}`:    "region/size/rotation",
		`{"ids":["I"],"levels":-1}`:                      "levels",
		`{"ids":["I"],"levels":"all"}`:                   "",
		`{"ids":["I"],"format":"bmp"}`:                   "format",
		`{"ids":["I"],"mount":"/iiif/4"}`:                "no mount",
		`{"ids":["I"],"level":3}`:                        "unknown field",
		`{"ids":["I"],"manifest":{}}`:                    "either",
		`{"manifest":{"items":[]}}`:                      "no image",
		`{"manifest":"file:///etc/passwd"}`:              "address",
		`{"manifest":"` + broken.URL + `/m"}`:            "404",
		`{"manifest":5}`:                                 "no image",
		`{"@context":"x","items":[{"type":"Manifest"}]}`: "no image",
	} {
		a := o.do(t, http.MethodPost, "/cache/warm", body, operatorToken)
		if a.StatusCode != http.StatusBadRequest || !strings.Contains(string(a.body), `"code":"bad_request"`) || !strings.Contains(string(a.body), says) {
			t.Errorf("%s: %d %s, want %q", body, a.StatusCode, a.body, says)
		}
	}
	ids := strings.TrimSuffix(strings.Repeat(`"I",`, 20_001), ",")
	if a := o.do(t, http.MethodPost, "/cache/warm", `{"ids":[`+ids+`]}`, operatorToken); a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "warm_queue_full") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	var status render.WarmStatus
	o.must(t, http.StatusOK, http.MethodGet, "/cache/warm", "", &status)
	if len(status.Orders) != 0 || status.WaitingLimit != 20_000 {
		t.Errorf("%+v", status)
	}
}

// TestPrefetchAfterServedTile: the neighbours of a tile that was served are
// there before they are asked for.
func TestPrefetchAfterServedTile(t *testing.T) {
	d := &fake{}
	st := open(t, setup{dir: cases(t), decoder: d.around, unseen: true, set: map[string]string{"prefetch": "on"}})
	st.get(t, "/iiif/3/I/0,0,512,512/512,512/0/default.jpg")
	await(t, "the neighbours", func() bool { return d.renders.Load() == 3 && st.admission.Snapshot().Fanout.Admitted == 2 })
	st.idle(t)
	for _, path := range []string{"/iiif/3/I/512,0,488,512/488,512/0/default.jpg", "/iiif/2/I/0,512,512,288/512,/0/default.jpg"} {
		if a := st.get(t, path); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	if s := st.admission.Snapshot(); s.Queue.TileWaiting != 0 {
		t.Errorf("%+v", s.Queue)
	}
	// Both have one neighbour that nobody has made yet, the same.
	await(t, "the last one", func() bool { return d.renders.Load() == 4 })
}
