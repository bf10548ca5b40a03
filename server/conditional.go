package server

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// failedCondition tells whether a request is conditional on a state that is
// not the present one (RFC 9110, 13.2.2): it gets 412. If-Match compares
// strongly and wins over If-Unmodified-Since, which is not looked at where
// there is no time of modification.
func failedCondition(r *http.Request, etag string, modified time.Time) bool {
	if values := r.Header.Values("If-Match"); len(values) > 0 {
		return !lists(strings.Join(values, ","), etag, true)
	}
	since, err := http.ParseTime(r.Header.Get("If-Unmodified-Since"))
	return err == nil && !modified.IsZero() && modified.Truncate(time.Second).After(since)
}

// errPrecondition makes 412.
var errPrecondition = errors.New("server: the state is not the one that the request asks for")

// notModified decides a conditional GET or HEAD (RFC 9110, 13.2.2):
// If-None-Match wins over If-Modified-Since; tags compare weakly.
func notModified(r *http.Request, etag string, modified time.Time) bool {
	if values := r.Header.Values("If-None-Match"); len(values) > 0 {
		return lists(strings.Join(values, ","), etag, false)
	}
	value := r.Header.Get("If-Modified-Since")
	if value == "" {
		return false
	}
	since, err := http.ParseTime(value)
	return err == nil && !modified.IsZero() && !modified.Truncate(time.Second).After(since)
}

// lists tells whether a list of entity tags has one that equals etag; no weak
// one does in a strong comparison. A tag may hold commas, so the list is read
// by its quotes.
func lists(list, etag string, strong bool) bool {
	for {
		list = strings.TrimLeft(list, " \t,")
		if list == "" {
			return false
		}
		if list[0] == '*' {
			return true
		}
		var weak bool
		list, weak = strings.CutPrefix(list, "W/")
		if list == "" || list[0] != '"' {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if tag, weakToo := strings.CutPrefix(etag, "W/"); list[:end+2] == tag && (!strong || !weak && !weakToo) {
			return true
		}
		list = list[end+2:]
	}
}
