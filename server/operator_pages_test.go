package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/iiifd/admission"
)

// TestOperatorPurge: each way to choose what is forgotten.
func TestOperatorPurge(t *testing.T) {
	d := &fake{}
	st := open(t, setup{dir: cases(t), decoder: d.around, unseen: true})
	o := operate(t, st, loopback(t))
	ids := []string{"I", "square.png", "sub%2Finner.png"}
	for _, c := range []struct {
		body    string
		forgets int // of the three
	}{
		{`{"all":true}`, 3},
		{`{"ids":["I"]}`, 1},
		{`{"ids":["I","sub/inner.png"]}`, 2},
		{`{"ids":["none"]}`, 0},
		{`{"prefix":"s"}`, 2},
		{`{"prefix":"sub/"}`, 1},
		{`{"older_than":"1h","all":true}`, 0},
		{`{"older_than":"0s"}`, 3},
		{`{"ids":["I"],"older_than":"24h"}`, 0},
	} {
		for _, id := range ids {
			if a := st.get(t, "/iiif/3/"+id+"/full/50,/0/default.jpg"); a.StatusCode != http.StatusOK {
				t.Fatal(a.StatusCode)
			}
		}
		await(t, "the files", func() bool { return st.answers.Stat().Files == 3 && st.answers.Stat().Temporary == 0 })
		var purged struct{ Files, Bytes int64 }
		o.must(t, http.StatusOK, http.MethodPost, "/cache/purge", c.body, &purged)
		if purged.Files != int64(c.forgets) || (purged.Bytes > 0) != (c.forgets > 0) {
			t.Errorf("%s: %+v, want %d", c.body, purged, c.forgets)
		}
		before := d.renders.Load()
		for _, id := range ids {
			st.get(t, "/iiif/3/"+id+"/full/50,/0/default.jpg")
		}
		if made := d.renders.Load() - before; made != int64(c.forgets) {
			t.Errorf("%s: %d were made anew, want %d", c.body, made, c.forgets)
		}
	}
	for _, body := range []string{
		"", "{", "[]", "null", `{}`, `{"ids":[]}`, `{"ids":"I"}`, `{"ids":[1]}`, `{"older_than":"yesterday"}`, `{"older_than":"-1h"}`,
		`{"older_than":24}`, `{"everything":true}`, `{"ids":[""]}`, `{"ids":["I",""]}`, `{"ids":[""],"all":true}`,
		`{"all":true}}`, `{"all":true}x`, `{"ids":["I"]} {"all":true}`, `{"all":true}null`, `{"all":false}`, `{"prefix":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		a := o.do(t, http.MethodPost, "/cache/purge", body, operatorToken)
		if a.StatusCode != http.StatusBadRequest || !strings.Contains(string(a.body), `"code":"bad_request"`) {
			t.Errorf("%.40s: %d %s", body, a.StatusCode, a.body)
		}
	}
	if n := st.answers.Stat().Files; n != 3 {
		t.Errorf("%d files are left after bad orders", n)
	}
}

// TestOperatorSays: what the simple pages tell.
func TestOperatorSays(t *testing.T) {
	st := open(t, setup{dir: cases(t), unseen: true})
	o := operate(t, st, loopback(t))
	st.get(t, "/iiif/3/I/full/50,/0/default.jpg")
	a := o.do(t, http.MethodGet, "/", "", "")
	for _, path := range slices.Concat(readPaths[:5], []string{"/cache/warm", "/cache/purge", "/admission/drain", "/readyz"}) {
		if !strings.Contains(string(a.body), path) {
			t.Errorf("the index leaves out %s", path)
		}
	}
	var decisions struct{ Decisions []admission.Decision }
	o.must(t, http.StatusOK, http.MethodGet, "/admission/decisions", "", &decisions)
	if len(decisions.Decisions) != 1 || decisions.Decisions[0].Label != "full/50,40/0/default.jpg" || decisions.Decisions[0].Verdict != "admitted" {
		t.Errorf("%+v", decisions)
	}
	if a := o.do(t, http.MethodGet, "/metrics", "", ""); !strings.Contains(string(a.body), "\niiifd_ready 1\n") {
		t.Error("metrics without readiness")
	}
	var stat struct{ Files int }
	await(t, "the entry", func() bool {
		o.must(t, http.StatusOK, http.MethodGet, "/cache", "", &stat)
		return stat.Files == 1
	})
	for _, path := range []string{"/admission", "/cache", "/metrics"} {
		if a := o.do(t, http.MethodGet, path, "", ""); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s can be read by any web page", path)
		}
	}
	if got := fmt.Sprint(o.do(t, http.MethodGet, "/admission", "", "").Header["Content-Type"]); got != "[application/json]" {
		t.Error(got)
	}
}
