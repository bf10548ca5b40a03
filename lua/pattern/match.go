package pattern

import "strings"

// match matches the pattern from p on against the subject from s on and
// returns the end of the match or -1.
func (m *Matcher) match(s, p int) int {
	if m.depth++; m.depth > maxDepth {
		panic(errTooComplex)
	}
	defer func() { m.depth-- }()
	for p < len(m.pattern) {
		m.step()
		switch c := m.pattern[p]; {
		case c == '(':
			return m.startCapture(s, p)
		case c == ')':
			return m.endCapture(s, p+1)
		case c == '$' && p+1 == len(m.pattern):
			if s == len(m.subject) {
				return s
			}
			return -1
		case c == '%' && p+1 < len(m.pattern) && (m.pattern[p+1] == 'b' || m.pattern[p+1] == 'f' || isDigit(m.pattern[p+1])):
			if s, p = m.special(s, p+1); s < 0 {
				return -1
			}
		default:
			next, done := m.single(&s, p)
			if done {
				return s
			}
			p = next
		}
	}
	return s
}

// startCapture matches what follows an opening parenthesis.
func (m *Matcher) startCapture(s, p int) int {
	if m.level >= MaxCaptures {
		panic(Error("too many captures"))
	}
	c := &m.capture[m.level]
	c.start, c.length = s, openCapture
	p++
	if p < len(m.pattern) && m.pattern[p] == ')' {
		c.length = positionCapture
		p++
	}
	m.level++
	end := m.match(s, p)
	if end < 0 {
		m.level--
	}
	return end
}

func (m *Matcher) endCapture(s, p int) int {
	open := m.level - 1
	for open >= 0 && m.capture[open].length != openCapture {
		open--
	}
	if open < 0 {
		panic(Error("invalid pattern capture"))
	}
	m.capture[open].length = s - m.capture[open].start
	end := m.match(s, p)
	if end < 0 {
		m.capture[open].length = openCapture
	}
	return end
}

// special matches %b, %f or a back reference, with p at the letter, and
// returns where subject and pattern go on; -1 without a match.
func (m *Matcher) special(s, p int) (int, int) {
	switch c := m.pattern[p]; c {
	case 'b':
		if p+2 >= len(m.pattern) {
			panic(Error("missing arguments to '%b'"))
		}
		return m.balance(s, m.pattern[p+1], m.pattern[p+2]), p + 3
	case 'f':
		p++
		if p >= len(m.pattern) || m.pattern[p] != '[' {
			panic(Error("missing '[' after '%f' in pattern"))
		}
		end := m.classEnd(p)
		var before, at byte
		if s > 0 {
			before = m.subject[s-1]
		}
		if s < len(m.subject) {
			at = m.subject[s]
		}
		if m.inSet(before, p, end-1) || !m.inSet(at, p, end-1) {
			return -1, end
		}
		return s, end
	default:
		i := int(c - '1')
		if i < 0 || i >= m.level || m.capture[i].length == openCapture {
			panic(Error("invalid capture index %" + string(c)))
		}
		text := ""
		if n := m.capture[i].length; n > 0 {
			text = m.subject[m.capture[i].start : m.capture[i].start+n]
		}
		if !strings.HasPrefix(m.subject[s:], text) {
			return -1, p + 1
		}
		return s + len(text), p + 1
	}
}

func (m *Matcher) balance(s int, open, closing byte) int {
	if s >= len(m.subject) || m.subject[s] != open {
		return -1
	}
	depth := 1
	for i := s + 1; i < len(m.subject); i++ {
		m.step()
		switch m.subject[i] {
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

// single matches one class and its repetition. With done, *s is the result;
// else the match goes on at *s and the returned place of the pattern.
func (m *Matcher) single(s *int, p int) (next int, done bool) {
	end := m.classEnd(p)
	var suffix byte
	if end < len(m.pattern) {
		suffix = m.pattern[end]
	}
	here := *s < len(m.subject) && m.inClass(m.subject[*s], p, end)
	switch suffix {
	case '?':
		if here {
			if r := m.match(*s+1, end+1); r >= 0 {
				*s = r
				return 0, true
			}
		}
		return end + 1, false
	case '+':
		if !here {
			*s = -1
			return 0, true
		}
		*s = m.maxExpand(*s+1, p, end)
		return 0, true
	case '*':
		*s = m.maxExpand(*s, p, end)
		return 0, true
	case '-':
		*s = m.minExpand(*s, p, end)
		return 0, true
	}
	if !here {
		*s = -1
		return 0, true
	}
	*s++
	return end, false
}

func (m *Matcher) maxExpand(s, p, end int) int {
	n := 0
	for s+n < len(m.subject) && m.inClass(m.subject[s+n], p, end) {
		m.step()
		n++
	}
	for ; n >= 0; n-- {
		m.step()
		if r := m.match(s+n, end+1); r >= 0 {
			return r
		}
	}
	return -1
}

func (m *Matcher) minExpand(s, p, end int) int {
	for {
		m.step()
		if r := m.match(s, end+1); r >= 0 {
			return r
		}
		if s >= len(m.subject) || !m.inClass(m.subject[s], p, end) {
			return -1
		}
		s++
	}
}
