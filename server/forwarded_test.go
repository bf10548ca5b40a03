package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/iiifd/server"
)

// bases asks for an image's info.json, redirect and canonical link and
// returns the public base in each.
func bases(t *testing.T, st *stand, headers ...string) (id, location, link string) {
	t.Helper()
	const image = "/iiif/3/sub%2Finner.png"
	a := st.get(t, image+"/info.json", headers...)
	var doc struct{ ID string }
	if err := json.Unmarshal(a.body, &doc); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %s", a.StatusCode, err, a.body)
	}
	id = strings.TrimSuffix(doc.ID, image)
	location = strings.TrimSuffix(st.get(t, image, headers...).Header.Get("Location"), image+"/info.json")
	link, _, _ = strings.Cut(st.get(t, image+"/full/max/0/default.png", headers...).Header.Get("Link"), ",")
	link = strings.TrimSuffix(strings.TrimPrefix(link, "<"), image+`/full/max/0/default.png>;rel="canonical"`)
	return id, location, link
}

// TestForwarded shows that headers of a trusted proxy make the public
// address, in all places alike, and that whatever is no address does not
// (R114 R116 R160).
func TestForwarded(t *testing.T) {
	st := open(t, setup{dir: cases(t), set: map[string]string{"trusted-proxies": "127.0.0.0/8,::1"}})
	own := st.url
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, own},
		{[]string{"X-Forwarded-Proto: https"}, strings.Replace(own, "http:", "https:", 1)},
		{[]string{"X-Forwarded-Proto: HTTPS", "X-Forwarded-Host: images.example.org"}, "https://images.example.org"},
		{[]string{"X-Forwarded-Host: images.example.org:8443", "X-Forwarded-Proto: https"}, "https://images.example.org:8443"},
		{[]string{"X-Forwarded-Host: images.example.org", "X-Forwarded-Proto: https", "X-Forwarded-Port: 443"}, "https://images.example.org"},
		{[]string{"X-Forwarded-Host: images.example.org", "X-Forwarded-Proto: https", "X-Forwarded-Port: 8443"}, "https://images.example.org:8443"},
		{[]string{"X-Forwarded-Host: images.example.org:80", "X-Forwarded-Port: 81"}, "http://images.example.org:81"},
		{[]string{"X-Forwarded-Host: [2001:db8::1]:8080"}, "http://[2001:db8::1]:8080"},
		{[]string{"X-Forwarded-Host: [2001:db8::1]", "X-Forwarded-Port: 81"}, "http://[2001:db8::1]:81"},
		{[]string{"X-Forwarded-Host: outer.example, inner.example", "X-Forwarded-Proto: https, http"}, "https://outer.example"},
		{[]string{"X-Forwarded-Host: images.example.org", "X-Forwarded-Prefix: /library"}, "http://images.example.org/library"},
		{[]string{"X-Forwarded-Host: images.example.org", "X-Forwarded-Prefix: /library/scans/"}, "http://images.example.org/library/scans"},
		{[]string{"Host: images.example.org"}, "http://images.example.org"},
		{[]string{"Host: images.example.org", "X-Forwarded-Port: 8443", "X-Forwarded-Proto: https"}, "https://images.example.org:8443"},

		{[]string{"X-Forwarded-Proto: javascript"}, own},
		{[]string{"X-Forwarded-Proto: https://evil.example/"}, own},
		{[]string{"X-Forwarded-Proto: "}, own},
		{[]string{"X-Forwarded-Host: "}, own},
		{[]string{"X-Forwarded-Host: evil.example/path"}, own},
		{[]string{"X-Forwarded-Host: user@evil.example"}, own},
		{[]string{"X-Forwarded-Host: evil.example?x"}, own},
		{[]string{"X-Forwarded-Host: evil.example#x"}, own},
		{[]string{`X-Forwarded-Host: evil.example"><script>`}, own},
		{[]string{"X-Forwarded-Host: evil.example>;rel=canonical"}, own},
		{[]string{"X-Forwarded-Host: evil.example;x"}, own},
		{[]string{"X-Forwarded-Host: evil example"}, own},
		{[]string{`X-Forwarded-Host: evil\example`}, own},
		{[]string{"X-Forwarded-Host: evil.example:port"}, own},
		{[]string{"X-Forwarded-Host: evil.example:99999"}, own},
		{[]string{"X-Forwarded-Host: evil.example:"}, own},
		{[]string{"X-Forwarded-Host: :80"}, own},
		{[]string{"X-Forwarded-Host: [::1"}, own},
		{[]string{"X-Forwarded-Host: [evil]"}, own},
		{[]string{"X-Forwarded-Host: ev%69l.example"}, own},
		{[]string{"X-Forwarded-Host: b\xfccher.example"}, own},
		{[]string{"X-Forwarded-Host: " + strings.Repeat("a", 300)}, own},
		{[]string{"X-Forwarded-Port: 0"}, own},
		{[]string{"X-Forwarded-Port: 65536"}, own},
		{[]string{"X-Forwarded-Port: -1"}, own},
		{[]string{"X-Forwarded-Port: 80/x"}, own},
		{[]string{"X-Forwarded-Prefix: //evil.example"}, own},
		{[]string{"X-Forwarded-Prefix: evil"}, own},
		{[]string{"X-Forwarded-Prefix: https://evil.example"}, own},
		{[]string{`X-Forwarded-Prefix: /a"b`}, own},
		{[]string{"X-Forwarded-Prefix: /a>;rel=x"}, own},
		{[]string{"X-Forwarded-Prefix: /a?b"}, own},
		{[]string{"X-Forwarded-Prefix: /a/../b"}, own},
		{[]string{"X-Forwarded-Prefix: /a//b"}, own},
		{[]string{"X-Forwarded-Prefix: /a%zz"}, own},
		{[]string{"X-Forwarded-Prefix: /b\xfccher"}, own},
		{[]string{`X-Forwarded-Prefix: /a\b`}, own},
	} {
		id, location, link := bases(t, st, c.headers...)
		if id != c.want || location != c.want || link != c.want {
			t.Errorf("%q: id %q, Location %q, Link %q; want %q", c.headers, id, location, link, c.want)
		}
	}
}

// TestForwardedByNobody shows that the same headers change nothing when they
// come from a peer that is not trusted, or when the address is configured
// (R160).
func TestForwardedByNobody(t *testing.T) {
	dir := cases(t)
	headers := []string{
		"X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example", "X-Forwarded-Port: 99", "X-Forwarded-Prefix: /evil",
		"Forwarded: host=evil.example;proto=https", "X-Original-Host: evil.example",
	}
	other := open(t, setup{dir: dir, set: map[string]string{"trusted-proxies": "10.0.0.0/8,127.0.0.2"}})
	if id, location, link := bases(t, other, headers...); id != other.url || location != other.url || link != other.url {
		t.Errorf("id %q, Location %q, Link %q; want %q", id, location, link, other.url)
	}
	if got := other.get(t, "/livez", "X-Request-Id: mine").Header.Get("X-Request-Id"); got == "mine" {
		t.Error("a stranger chose the request id")
	}
	for configured, want := range map[string]string{
		"https://images.example.org":          "https://images.example.org",
		"https://images.example.org/library/": "https://images.example.org/library",
	} {
		st := open(t, setup{dir: dir, set: map[string]string{"base-url": configured, "trusted-proxies": "127.0.0.1"}})
		if id, location, link := bases(t, st, append(headers, "Host: evil.example")...); id != want || location != want || link != want {
			t.Errorf("id %q, Location %q, Link %q; want %q", id, location, link, want)
		}
	}
}

// TestReloadTrust shows that both settings follow a reload, and that a
// refused reload leaves them.
func TestReloadTrust(t *testing.T) {
	var kept server.Config
	st := open(t, setup{dir: cases(t), adjust: func(c *server.Config) { kept = *c }})
	next := kept
	next.BaseURL, next.TrustedProxies = "https://new.example", []string{"127.0.0.1"}
	if err := st.Reload(next); err != nil {
		t.Fatal(err)
	}
	bad := kept
	bad.TrustedProxies = []string{"everybody"}
	if err := st.Reload(bad); err == nil {
		t.Error("nonsense was taken")
	}
	if id, _, _ := bases(t, st); id != "https://new.example" {
		t.Errorf("id %q", id)
	}
	if got := st.get(t, "/livez", "X-Request-Id: mine").Header.Get("X-Request-Id"); got != "mine" {
		t.Errorf("a trusted proxy's request id became %q", got)
	}
}
