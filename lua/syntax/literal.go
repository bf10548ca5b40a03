package syntax

import (
	"errors"
	"strconv"
	"strings"
)

// number reads a number and returns it in a form that gopher-lua does not
// misread (it would take 010 for octal).
func (l *lexer) number() string {
	start := l.pos
	hex := l.byteAt(0) == '0' && (l.byteAt(1) == 'x' || l.byteAt(1) == 'X')
	exponent := "eE"
	if hex {
		l.pos += 2
		exponent = "pP"
	}
	for {
		c := l.byteAt(0)
		if strings.IndexByte(exponent, c) >= 0 && c != 0 {
			l.pos++
			if s := l.byteAt(0); s == '+' || s == '-' {
				l.pos++
			}
			continue
		}
		if !isHex(c) && c != '.' && !isLetter(c) {
			break
		}
		l.pos++
	}
	text := l.src[start:l.pos]
	value, whole, ok := ParseNumber(text)
	if !ok {
		l.fail(start, "malformed number %s", text)
	}
	if whole && !exactInteger(text, value) {
		l.fail(start, "the integer %s cannot be represented: numbers are floats here, exact up to 2^53", text)
	}
	return strconv.FormatFloat(value, 'g', 17, 64)
}

// ParseNumber reads a Lua 5.3 numeral: decimal or hexadecimal, with fraction
// and exponent. whole tells that it is written as an integer.
func ParseNumber(text string) (value float64, whole, ok bool) {
	t := strings.ToLower(text)
	if strings.ContainsAny(t, "_in") { // Go's own: 1_000, inf, nan
		return 0, false, false
	}
	if digits, hex := strings.CutPrefix(t, "0x"); hex {
		if !strings.ContainsAny(digits, ".p") {
			return parseHexInteger(digits)
		}
		if !strings.Contains(t, "p") {
			t += "p0"
		}
	}
	value, err := strconv.ParseFloat(t, 64)
	if err != nil && !isRange(err) {
		return 0, false, false
	}
	return value, !strings.ContainsAny(t, ".ep"), true
}

// parseHexInteger reads hexadecimal digits of any number.
func parseHexInteger(digits string) (value float64, whole, ok bool) {
	if digits == "" {
		return 0, false, false
	}
	for i := range len(digits) {
		if !isHex(digits[i]) {
			return 0, false, false
		}
	}
	value, err := strconv.ParseFloat("0x"+digits+"p0", 64)
	return value, true, err == nil || isRange(err)
}

func isRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}

// exactInteger tells whether value is what the integer literal means. A
// decimal integer beyond 64 bits is a float in Lua 5.3 as well.
func exactInteger(text string, value float64) bool {
	if value < 1<<53 {
		return true
	}
	hex := len(text) > 1 && (text[1] == 'x' || text[1] == 'X')
	n, err := strconv.ParseInt(text, 0, 64)
	if !hex {
		n, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		return !hex && value >= 1<<63 // Lua takes a float as well.
	}
	return value < 1<<63 && int64(value) == n
}

// quoted reads a string in single or double quotes.
func (l *lexer) quoted(quote byte) string {
	start := l.pos
	l.pos++
	var b strings.Builder
	for {
		c := l.byteAt(0)
		switch {
		case l.pos >= len(l.src) || c == '\n':
			l.fail(start, "unfinished string")
		case c == quote:
			l.pos++
			return b.String()
		case c == '\\':
			l.escape(&b)
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
}

var simpleEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '"': '"', '\'': '\'',
}

// escape reads one escape sequence, at its backslash.
func (l *lexer) escape(b *strings.Builder) {
	start := l.pos
	l.pos++
	c := l.byteAt(0)
	if to, ok := simpleEscapes[c]; ok {
		l.pos++
		b.WriteByte(to)
		return
	}
	switch {
	case c == '\n' || c == '\r' && l.byteAt(1) == '\n':
		l.pos += strings.IndexByte(l.src[l.pos:], '\n') + 1
		l.newLine()
		b.WriteByte('\n')
	case c == 'x' && isHex(l.byteAt(1)) && isHex(l.byteAt(2)):
		n, _ := strconv.ParseUint(l.src[l.pos+1:l.pos+3], 16, 8)
		b.WriteByte(byte(n))
		l.pos += 3
	case c == 'z':
		l.pos++
		for c := l.byteAt(0); c == ' ' || c >= '\t' && c <= '\r'; c = l.byteAt(0) {
			l.pos++
			if c == '\n' {
				l.newLine()
			}
		}
	case c == 'u' && l.byteAt(1) == '{':
		l.unicode(b, start)
	case isDigit(c):
		n := 0
		for i := 0; i < 3 && isDigit(l.byteAt(0)); i++ {
			n = n*10 + int(l.byteAt(0)-'0')
			l.pos++
		}
		if n > 255 {
			l.fail(start, "decimal escape too large")
		}
		b.WriteByte(byte(n))
	default:
		l.fail(start, "invalid escape sequence")
	}
}

// unicode reads the braces of \u{XXX}.
func (l *lexer) unicode(b *strings.Builder, start int) {
	end := strings.IndexByte(l.src[l.pos:], '}')
	if end < 0 {
		l.fail(start, "missing '}' in \\u{}")
	}
	n, err := strconv.ParseUint(l.src[l.pos+2:l.pos+end], 16, 32)
	if err != nil || n > 0x10FFFF {
		l.fail(start, "\\u{} takes a hexadecimal code point up to 10FFFF")
	}
	b.WriteString(EncodeUTF8(uint32(n)))
	l.pos += end + 1
}

// EncodeUTF8 encodes a code point as Lua does: surrogates are encoded, not
// replaced.
func EncodeUTF8(n uint32) string {
	switch {
	case n < 0x80:
		return string([]byte{byte(n)})
	case n < 0x800:
		return string([]byte{byte(0xC0 | n>>6), byte(0x80 | n&0x3F)})
	case n < 0x10000:
		return string([]byte{byte(0xE0 | n>>12), byte(0x80 | n>>6&0x3F), byte(0x80 | n&0x3F)})
	}
	return string([]byte{byte(0xF0 | n>>18), byte(0x80 | n>>12&0x3F), byte(0x80 | n>>6&0x3F), byte(0x80 | n&0x3F)})
}
