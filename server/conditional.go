package server

import (
	"net/http"
	"strings"
	"time"
)

// notModified decides a conditional GET or HEAD (RFC 9110, 13.2.2):
// If-None-Match wins over If-Modified-Since; tags compare weakly.
func notModified(r *http.Request, etag string, modified time.Time) bool {
	if values := r.Header.Values("If-None-Match"); len(values) > 0 {
		return matches(strings.Join(values, ","), etag)
	}
	value := r.Header.Get("If-Modified-Since")
	if value == "" {
		return false
	}
	since, err := http.ParseTime(value)
	return err == nil && !modified.IsZero() && !modified.Truncate(time.Second).After(since)
}

// matches tells whether a list of entity tags has one that equals etag. A
// tag may hold commas, so the list is read by its quotes.
func matches(list, etag string) bool {
	for {
		list = strings.TrimLeft(list, " \t,")
		if list == "" {
			return false
		}
		if list[0] == '*' {
			return true
		}
		list = strings.TrimPrefix(list, "W/")
		if list == "" || list[0] != '"' {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if list[:end+2] == strings.TrimPrefix(etag, "W/") {
			return true
		}
		list = list[end+2:]
	}
}
