package iiif

import "strings"

// unescape decodes the percent-encoding of one path segment, once. A plus
// sign stays a plus sign: it means a space in queries only (RFC 3986, 2.2).
func unescape(segment string) (string, bool) {
	if !strings.Contains(segment, "%") {
		return segment, true
	}
	var b strings.Builder
	b.Grow(len(segment))
	for i := 0; i < len(segment); i++ {
		if segment[i] != '%' {
			b.WriteByte(segment[i])
			continue
		}
		if i+2 >= len(segment) {
			return "", false
		}
		high, ok1 := hexDigit(segment[i+1])
		low, ok2 := hexDigit(segment[i+2])
		if !ok1 || !ok2 {
			return "", false
		}
		b.WriteByte(high<<4 | low)
		i += 2
	}
	return b.String(), true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// EncodeIdentifier returns id as one path segment. It escapes what the Image
// API names (3.0 and 2.1, section 9: / ? # [ ] @ %) and every byte that RFC
// 3986 does not allow in a segment, and nothing else: a colon or a comma
// stays readable. Parse undoes it.
func EncodeIdentifier(id string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(id))
	for i := range len(id) {
		c := id[i]
		if plainInSegment(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

func plainInSegment(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("-._~!$&'()*+,;=:", c) >= 0
}
