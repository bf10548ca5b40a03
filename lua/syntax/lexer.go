package syntax

import (
	"fmt"
	"strings"
)

// lexer cuts source into tokens. It raises *Error by panic; Parse recovers.
type lexer struct {
	src       string
	pos       int
	line      int
	lineStart int // offset of the line's first byte
}

func newLexer(src string) *lexer {
	src = strings.TrimPrefix(src, "\ufeff") // Some editors write a byte order mark.
	l := &lexer{src: src, line: 1}
	if strings.HasPrefix(src, "#") { // "#!/usr/bin/lua"
		if l.pos = strings.IndexByte(src, '\n'); l.pos < 0 {
			l.pos = len(src)
		}
	}
	return l
}

func (l *lexer) fail(pos int, format string, args ...any) {
	panic(&Error{Line: l.line, Column: pos - l.lineStart + 1, Message: fmt.Sprintf(format, args...)})
}

// byteAt returns the byte at an offset from the current one, 0 at the end.
func (l *lexer) byteAt(offset int) byte {
	if i := l.pos + offset; i < len(l.src) {
		return l.src[i]
	}
	return 0
}

func (l *lexer) newLine() {
	l.line++
	l.lineStart = l.pos
}

// next returns the next token.
func (l *lexer) next() token {
	l.skipSpace()
	t := token{line: l.line, column: l.pos - l.lineStart + 1}
	c := l.byteAt(0)
	switch {
	case l.pos >= len(l.src):
		t.kind = kindEOF
	case isLetter(c):
		start := l.pos
		for isLetter(l.byteAt(0)) || isDigit(l.byteAt(0)) {
			l.pos++
		}
		t.kind, t.text = kindName, l.src[start:l.pos]
		if keywords[t.text] {
			t.kind = kind(t.text)
		}
	case isDigit(c) || c == '.' && isDigit(l.byteAt(1)):
		t.kind, t.text = kindNumber, l.number()
	case c == '"' || c == '\'':
		t.kind, t.text = kindString, l.quoted(c)
	case c == '[' && (l.byteAt(1) == '[' || l.byteAt(1) == '='):
		if level := l.longLevel(); level >= 0 {
			t.kind, t.text = kindString, l.long(level, "string")
			break
		}
		t.kind = l.symbol()
	default:
		t.kind = l.symbol()
	}
	return t
}

func (l *lexer) symbol() kind {
	for _, s := range symbols {
		if strings.HasPrefix(l.src[l.pos:], s) {
			l.pos += len(s)
			return kind(s)
		}
	}
	l.fail(l.pos, "unexpected character %q", l.src[l.pos])
	return ""
}

// skipSpace passes white space and comments.
func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			l.pos++
			l.newLine()
		case c == ' ' || c >= '\t' && c <= '\r':
			l.pos++
		case c == '-' && l.byteAt(1) == '-':
			l.pos += 2
			if l.byteAt(0) == '[' {
				if level := l.longLevel(); level >= 0 {
					l.long(level, "comment")
					continue
				}
			}
			for l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			}
		default:
			return
		}
	}
}

// longLevel returns the number of equals signs of the long bracket that
// opens here, -1 where none does.
func (l *lexer) longLevel() int {
	i := 1
	for l.byteAt(i) == '=' {
		i++
	}
	if l.byteAt(i) == '[' {
		return i - 1
	}
	return -1
}

// long reads a long string or comment; a line break right after the opening
// bracket does not belong to it.
func (l *lexer) long(level int, what string) string {
	start := l.pos
	l.pos += level + 2
	if l.byteAt(0) == '\r' && l.byteAt(1) == '\n' {
		l.pos++
	}
	if l.byteAt(0) == '\n' {
		l.pos++
		l.newLine()
	}
	closing := "]" + strings.Repeat("=", level) + "]"
	end := strings.Index(l.src[l.pos:], closing)
	if end < 0 {
		l.fail(start, "unfinished long %s", what)
	}
	text := l.src[l.pos : l.pos+end]
	if n := strings.Count(text, "\n"); n > 0 {
		l.line += n
		l.lineStart = l.pos + strings.LastIndexByte(text, '\n') + 1
	}
	l.pos += end + len(closing)
	return strings.ReplaceAll(text, "\r\n", "\n")
}

func isLetter(c byte) bool {
	return c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
