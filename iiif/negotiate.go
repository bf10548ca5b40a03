package iiif

import "strings"

const (
	mediaTypeJSON   = "application/json"
	mediaTypeJSONLD = "application/ld+json"
)

// NegotiateInfo chooses the Content-Type of info.json from the values of the
// Accept header, joined by commas. Without a preference it is JSON-LD with
// the profile in 3.0 and plain JSON in 2.1 (Image API 3.0, 5.1 and 2.1, 5).
// Quality values and the precedence of the more specific range follow RFC
// 9110, 12.5.1; parameters of a range do not matter. Where the client accepts
// neither, the version's own type is returned: a document it may refuse helps
// more than an error, and RFC 9110 allows it.
func NegotiateInfo(accept string, v Version) (contentType string) {
	ranges := parseAccept(accept)
	json, ld := judge(ranges, mediaTypeJSON), judge(ranges, mediaTypeJSONLD)
	preferLD := v != V2
	switch {
	case json.weight == 0 && ld.weight == 0:
	case json.weight != ld.weight:
		preferLD = ld.weight > json.weight
	case json.specificity != ld.specificity:
		preferLD = ld.specificity > json.specificity
	}
	switch {
	case !preferLD:
		return mediaTypeJSON
	case v == V2:
		return mediaTypeJSONLD
	}
	return mediaTypeJSONLD + `;profile="` + v.ContextURI() + `"`
}

// mediaRange is one entry of an Accept header.
type mediaRange struct {
	pattern string // lower case: type/subtype, type/* or */*
	weight  int    // in thousandths
}

// verdict is what an Accept header says of one media type.
type verdict struct {
	specificity int // 0 for no match, 3 for the type by name
	weight      int // in thousandths
}

func judge(ranges []mediaRange, mediaType string) verdict {
	var best verdict
	for _, r := range ranges {
		v := verdict{weight: r.weight}
		switch r.pattern {
		case mediaType:
			v.specificity = 3
		case "application/*":
			v.specificity = 2
		case "*/*":
			v.specificity = 1
		default:
			continue
		}
		if v.specificity > best.specificity || v.specificity == best.specificity && v.weight > best.weight {
			best = v
		}
	}
	return best
}

// parseAccept reads an Accept header. Entries that are no media ranges, or
// have a broken weight, are left out.
func parseAccept(accept string) []mediaRange {
	var ranges []mediaRange
	for entry := range splitQuoted(accept, ',') {
		r := mediaRange{weight: 1000}
		valid := true
		first := true
		for part := range splitQuoted(entry, ';') {
			part = strings.Trim(part, " \t")
			if first {
				r.pattern, first = strings.ToLower(part), false
				continue
			}
			name, value, _ := strings.Cut(part, "=")
			if strings.EqualFold(strings.Trim(name, " \t"), "q") {
				r.weight, valid = parseWeight(strings.Trim(value, " \t"))
				break // what follows the weight are extensions, not parameters
			}
		}
		if valid {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// parseWeight reads a qvalue of RFC 9110, 12.4.2, in thousandths.
func parseWeight(s string) (int, bool) {
	d, outcome := lexDecimal(s)
	if outcome != lexOK || len(s) > 5 || d.exceeds(1) {
		return 0, false
	}
	return int(d.whole)*1000 + int(d.frac/(decimalUnit/1000)), true
}

// splitQuoted yields the parts of s between separators outside of quoted
// strings.
func splitQuoted(s string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(s); i++ {
			switch {
			case s[i] == '\\' && quoted:
				i++
			case s[i] == '"':
				quoted = !quoted
			case s[i] == separator && !quoted:
				if !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(s[start:])
	}
}
