package server_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// TestDocumentTypes shows that both types of an info.json carry the same
// document under tags of their own, and that a tag of one is no answer for
// the other (R146 R153).
func TestDocumentTypes(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	for _, path := range []string{"/iiif/3/I/info.json", "/iiif/2/I/info.json"} {
		linked, plain := st.get(t, path, "Accept: application/ld+json"), st.get(t, path, "Accept: application/json")
		if !bytes.Equal(linked.body, plain.body) {
			t.Errorf("%s: two documents", path)
		}
		if linked.Header.Get("ETag") == plain.Header.Get("ETag") || linked.Header.Get("ETag") == "" {
			t.Errorf("%s: tags %q and %q", path, linked.Header.Get("ETag"), plain.Header.Get("ETag"))
		}
		for _, a := range []answer{linked, plain} {
			if a.Header.Get("Vary") != "Accept" {
				t.Errorf("%s: Vary %q", path, a.Header.Get("Vary"))
			}
		}
		if a := st.get(t, path, "Accept: application/json", "If-None-Match: "+linked.Header.Get("ETag")); a.StatusCode != http.StatusOK {
			t.Errorf("%s: the other type's tag gives %d", path, a.StatusCode)
		}
		if a := st.get(t, path, "Accept: application/json", "If-None-Match: "+plain.Header.Get("ETag")); a.StatusCode != http.StatusNotModified {
			t.Errorf("%s: its own tag gives %d", path, a.StatusCode)
		}
	}
}

// TestLongTargets shows that no length of a request is the server's failure
// (R19).
func TestLongTargets(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	c := direct(nil)
	defer c.CloseIdleConnections()
	for _, n := range []int{300, 5000, 20_000, 200_000} {
		long := strings.Repeat("a", n)
		for _, path := range []string{"/iiif/3/" + long + "/info.json", "/iiif/3/I/full/" + strings.Repeat("9", n) + ",/0/default.jpg", "/" + long, "/iiif/3/I/info.json?" + long} {
			a := ask(t, c, http.MethodGet, st.url, path)
			// A request that is not read to its end is answered and cut off.
			refused := a.Response != nil && a.StatusCode == http.StatusRequestHeaderFieldsTooLarge
			if (a.err != nil && !refused) || a.StatusCode >= 500 || (a.StatusCode < 400 && !strings.Contains(path, "?")) {
				t.Errorf("%.30s… of %d: %v %d", path, len(path), a.err, a.StatusCode)
			}
		}
	}
}
