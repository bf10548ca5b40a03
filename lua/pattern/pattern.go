// Package pattern matches Lua 5.3 patterns (Reference Manual, 6.4.1).
//
// gopher-lua's own matcher lacks %f, recurses once per character and cannot
// be interrupted; a pattern with a few ".-" in a row then runs for years.
// This one needs constant stack for repetitions and calls Poll as it works.
package pattern

import (
	"errors"
	"strings"
)

// MaxCaptures is the largest number of captures in a pattern.
const MaxCaptures = 32

// maxDepth bounds the nesting of captures and of repetitions that follow
// each other, as MAXCCALLS does in Lua.
const maxDepth = 200

// pollEvery is the number of steps between two calls of Poll.
const pollEvery = 4096

const (
	positionCapture = -2
	openCapture     = -1
)

// Error is a malformed pattern.
type Error string

func (e Error) Error() string { return string(e) }

var errTooComplex = errors.New("pattern too complex")

// Matcher matches one pattern against one subject.
type Matcher struct {
	subject, pattern string
	poll             func()
	steps, depth     int

	// Captures of the last match; the first Level are valid.
	level   int
	capture [MaxCaptures]struct{ start, length int }
}

// New returns a matcher. poll, which may be nil, is called regularly and may
// panic to end the match.
func New(subject, pattern string, poll func()) *Matcher {
	return &Matcher{subject: subject, pattern: pattern, poll: poll}
}

// Capture is what a pair of parentheses matched: a text, or for "()" a
// position counted from 1.
type Capture struct {
	Text     string
	Position int // 0 for a text
}

// At matches at exactly this offset. A leading "^" in the pattern must have
// been removed by the caller. end is -1 without a match. Errors are *Error
// by value or the complaint that the pattern is too complex.
func (m *Matcher) At(offset int) (end int, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case Error:
			err = v
		case error:
			if !errors.Is(v, errTooComplex) {
				panic(v)
			}
			err = v
		default:
			panic(v)
		}
	}()
	m.level, m.depth = 0, 0
	return m.match(offset, 0), nil
}

// Captures returns the captures of a match from start to end; the whole
// match where the pattern has none.
func (m *Matcher) Captures(start, end int) ([]Capture, error) {
	if m.level == 0 {
		return []Capture{{Text: m.subject[start:end]}}, nil
	}
	out := make([]Capture, m.level)
	for i := range out {
		c, err := m.Capture(i)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// Level is the number of captures of the last match.
func (m *Matcher) Level() int { return m.level }

// Capture returns one capture of the last match, counted from 0.
func (m *Matcher) Capture(i int) (Capture, error) {
	if i < 0 || i >= m.level {
		return Capture{}, Error("invalid capture index")
	}
	c := m.capture[i]
	switch c.length {
	case positionCapture:
		return Capture{Position: c.start + 1}, nil
	case openCapture:
		return Capture{}, Error("unfinished capture")
	}
	return Capture{Text: m.subject[c.start : c.start+c.length]}, nil
}

// Plain tells whether a pattern has no special characters.
func Plain(pattern string) bool { return !strings.ContainsAny(pattern, "^$*+?.([%-") }

func (m *Matcher) step() {
	if m.steps++; m.steps%pollEvery == 0 && m.poll != nil {
		m.poll()
	}
}
