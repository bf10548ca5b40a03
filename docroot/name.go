package docroot

import (
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
)

// wellKnown is the one name with a leading dot that is served, and only at
// the top of the docroot (RFC 8615).
const wellKnown = ".well-known"

// maxSegment is the longest file name of the file systems in use, in bytes.
const maxSegment = 255

// relativeName turns the escaped URL path below the route into a
// slash-separated name inside the docroot; "." is the docroot itself. dir
// tells that the path ends in a slash. Not ok is every path that does not
// name exactly one place in one spelling: empty, "." and ".." segments,
// slashes, backslashes or control characters in escaped form, dotfiles,
// broken escapes and broken UTF-8.
func relativeName(escaped string) (name string, dir, ok bool) {
	if escaped == "" {
		return ".", true, true
	}
	escaped, dir = strings.CutSuffix(escaped, "/")
	var segments []string
	for part := range strings.SplitSeq(escaped, "/") {
		segment, err := url.PathUnescape(part)
		if err != nil || !plainSegment(segment) {
			return "", false, false
		}
		if segment[0] == '.' && (len(segments) > 0 || segment != wellKnown) {
			return "", false, false
		}
		segments = append(segments, segment)
	}
	return path.Join(segments...), dir, true
}

func plainSegment(s string) bool {
	if s == "" || len(s) > maxSegment || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == '/' || r == '\\' || r < ' ' || r == 0x7f
	})
}
