package pattern

// classEnd returns the offset after the single-character class at p.
func (m *Matcher) classEnd(p int) int {
	c := m.pattern[p]
	p++
	if c == '%' {
		if p >= len(m.pattern) {
			panic(Error("malformed pattern (ends with '%')"))
		}
		return p + 1
	}
	if c != '[' {
		return p
	}
	if p < len(m.pattern) && m.pattern[p] == '^' {
		p++
	}
	for first := true; first || p >= len(m.pattern) || m.pattern[p] != ']'; first = false {
		if p >= len(m.pattern) {
			panic(Error("malformed pattern (missing ']')"))
		}
		if m.pattern[p] == '%' {
			p++
		}
		p++
	}
	return p + 1
}

// inClass tells whether c belongs to the class from p to end.
func (m *Matcher) inClass(c byte, p, end int) bool {
	switch m.pattern[p] {
	case '.':
		return true
	case '%':
		return inNamed(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	}
	return m.pattern[p] == c
}

// inSet tells whether c belongs to the set whose brackets are at p and last.
func (m *Matcher) inSet(c byte, p, last int) bool {
	found := true
	p++
	if m.pattern[p] == '^' {
		found = false
		p++
	}
	for ; p < last; p++ {
		switch {
		case m.pattern[p] == '%':
			p++
			if inNamed(c, m.pattern[p]) {
				return found
			}
		case p+2 < last && m.pattern[p+1] == '-':
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return found
			}
			p += 2
		case m.pattern[p] == c:
			return found
		}
	}
	return !found
}

// inNamed tells whether c belongs to the class with this letter, in the C
// locale; an upper-case letter is the complement. Any other character stands
// for itself.
func inNamed(c, letter byte) bool {
	var in bool
	switch letter | 0x20 {
	case 'a':
		in = isAlpha(c)
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = isDigit(c)
	case 'g':
		in = c > 32 && c < 127
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = c > 32 && c < 127 && !isAlpha(c) && !isDigit(c)
	case 's':
		in = c == ' ' || c >= '\t' && c <= '\r'
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isAlpha(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	default:
		return letter == c
	}
	if !isAlpha(letter) {
		return letter == c
	}
	return in == (letter >= 'a')
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
