package iiif_test

import (
	"net/url"
	"testing"

	"example.com/iiifd/iiif"
)

func TestSentPath(t *testing.T) {
	for sent, want := range map[string]string{
		"/i/a%2Fb/full/^50,/0/default.jpg":   "/i/a%2Fb/full/%5E50,/0/default.jpg",
		"/i/a%2fb%252F/full/%5e50,/0/x":      "/i/a%2fb%252F/full/%5e50,/0/x",
		"/i/a%2Fb|\"<c>\\`{}/info.json":      "/i/a%2Fb%7C%22%3Cc%3E%5C%60%7B%7D/info.json",
		"/i/caf\u00e9%2Fx/info.json":         "/i/caf%C3%A9%2Fx/info.json",
		"/i/[a]:b@c;d/info.json":             "/i/[a]:b@c;d/info.json",
		"/i/plain/full/^50,/0/default.jpg":   "/i/plain/full/%5E50,/0/default.jpg",
		"/i/%61%2F/full/pct:50/!0/color.jpg": "/i/%61%2F/full/pct:50/!0/color.jpg",
	} {
		u, err := url.ParseRequestURI(sent)
		if err != nil {
			t.Fatal(err)
		}
		got := iiif.SentPath(u)
		if got != want {
			t.Errorf("SentPath(%q) = %q, want %q", sent, got, want)
		}
		decoded, err := url.PathUnescape(got)
		if err != nil || decoded != u.Path {
			t.Errorf("SentPath(%q) = %q decodes to %q (%v), want %q", sent, got, decoded, err, u.Path)
		}
	}
}
