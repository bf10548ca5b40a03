package docroot

import (
	"math"
	"net/http"
	"strconv"
	"strings"
)

// maxRanges is how many ranges of one request are answered: a range is a few
// bytes of the request and a part with its own head in the answer.
const maxRanges = 64

// CleanRange prepares a request for http.ServeContent, which answers "-0"
// with a part of no bytes and refuses numbers that it cannot hold. What is no
// valid ranges-specifier, or has more than 64 ranges, is taken off the
// request, as RFC 9110, 14.2 allows, so that the whole is sent. Of a valid
// one, the ranges that a representation of size bytes can satisfy are left;
// where there are none, ServeContent answers 416.
func CleanRange(r *http.Request, size int64) {
	header := strings.Join(r.Header.Values("Range"), ",")
	if header == "" {
		return
	}
	ranges, ok := parseRanges(header, size)
	switch {
	case !ok:
		r.Header.Del("Range")
	case len(ranges) == 0:
		r.Header.Set("Range", "bytes="+strconv.FormatInt(size, 10)+"-")
	default:
		r.Header.Set("Range", "bytes="+strings.Join(ranges, ","))
	}
}

// parseRanges returns the satisfiable ranges of a header, each as
// "first-last"; ok is false where the header is to be ignored.
func parseRanges(header string, size int64) (ranges []string, ok bool) {
	const unit = "bytes="
	if len(header) < len(unit) || !strings.EqualFold(header[:len(unit)], unit) {
		return nil, false
	}
	specs := 0
	for spec := range strings.SplitSeq(header[len(unit):], ",") {
		if spec = strings.Trim(spec, " \t"); spec == "" {
			continue // An empty element of a list is none (RFC 9110, 5.6.1).
		}
		first, last, valid := parseRange(spec, size)
		if specs++; !valid || specs > maxRanges {
			return nil, false
		}
		if first < size && first <= last {
			ranges = append(ranges, strconv.FormatInt(first, 10)+"-"+strconv.FormatInt(last, 10))
		}
	}
	return ranges, specs > 0
}

// parseRange reads "first-last", "first-" or "-length" and returns the first
// and the last byte, the last one cut to the size. "-0" begins at the size,
// where nothing is left.
func parseRange(spec string, size int64) (first, last int64, ok bool) {
	from, to, dash := strings.Cut(spec, "-")
	first, hasFirst, okFirst := parsePosition(from)
	last, hasLast, okLast := parsePosition(to)
	switch {
	case !dash || !okFirst || !okLast || !hasFirst && !hasLast:
		return 0, 0, false
	case !hasFirst:
		return max(0, size-last), size - 1, true
	case !hasLast:
		return first, size - 1, true
	default:
		return first, min(last, size-1), first <= last
	}
}

// parsePosition reads digits; there may be none. A number that is too large
// is as good as the largest one.
func parsePosition(digits string) (n int64, there, ok bool) {
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false, false
	}
	if digits == "" {
		return 0, false, true
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true, true
}
