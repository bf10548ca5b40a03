package pattern_test

import (
	"strconv"
	"strings"
	"testing"

	"example.com/iiifd/lua/pattern"
)

// find searches as string.find does and shows what string.match returns.
func find(subject, pat string) string {
	p, anchored := strings.CutPrefix(pat, "^")
	m := pattern.New(subject, p, nil)
	for at := 0; at <= len(subject); at++ {
		end, err := m.At(at)
		if err != nil {
			return "error: " + err.Error()
		}
		if end >= 0 {
			captures, err := m.Captures(at, end)
			if err != nil {
				return "error: " + err.Error()
			}
			parts := make([]string, len(captures))
			for i, c := range captures {
				parts[i] = c.Text
				if c.Position > 0 {
					parts[i] = strconv.Itoa(c.Position)
				}
			}
			return strings.Join(parts, "|")
		}
		if anchored {
			break
		}
	}
	return "nil"
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ subject, pat, want string }{
		{"hello world", "o w", "o w"},
		{"hello", "l+", "ll"},
		{"hello", "l-o", "llo"},
		{"hello", "x?h", "h"},
		{"key = value", "^(%w+)%s*=%s*(%w+)$", "key|value"},
		{"abc", "()b()", "2|3"},
		{"f(a(b)c)d", "%b()", "(a(b)c)"},
		{"THE (quick) fox", "%f[%a]%a+%f[%A]", "THE"},
		{"say \"hi\" 'x'", "([\"'])(.-)%1", "\"|hi"},
		{"2026-08-21", "(%d+)-(%d+)-(%d+)", "2026|08|21"},
		{"a]b", "[]]", "]"},
		{"a-b", "[a%-]+", "a-"},
		{"a^b", "[%^]", "^"},
		{"x^y", "x^", "x^"},
		{"cost $5", "$5", "$5"},
		{"abc", "[^a]+", "bc"},
		{"\x00\x01b", "%c+", "\x00\x01"},
		{"aXb", "%u", "X"},
		{"aXb", "%L", "X"},
		{"", ".*", ""},
		{"abc", "^b", "nil"},
		{"a.b", "%.", "."},
		{"äb", "[\xc3]", "\xc3"},
		{"aaa", "a-$", "aaa"},
		{"abc", "(", "error: unfinished capture"},
		{"abc", "%", "error: malformed pattern (ends with '%')"},
		{"abc", "[a", "error: malformed pattern (missing ']')"},
		{"abc", "%1", "error: invalid capture index %1"},
		{"abc", "%b", "error: missing arguments to '%b'"},
		{"abc", "%f", "error: missing '[' after '%f' in pattern"},
		{"abc", ")", "error: invalid pattern capture"},
		{"abc", strings.Repeat("()", 33), "error: too many captures"},
		{"abc", strings.Repeat("a?", 300), "a"},
		{strings.Repeat("a", 300), strings.Repeat("a?", 300), "error: pattern too complex"},
		{strings.Repeat("a", 1<<20), "^(.*)b", "nil"},
	} {
		if got := find(c.subject, c.pat); got != c.want {
			t.Errorf("%.40q match %.40q = %q, want %q", c.subject, c.pat, got, c.want)
		}
	}
}

func TestPollEndsBacktracking(t *testing.T) {
	defer func() {
		if v := recover(); v != "enough" {
			t.Errorf("recovered %v", v)
		}
	}()
	calls := 0
	m := pattern.New(strings.Repeat("a", 1000), strings.Repeat(".-", 20)+"b", func() {
		if calls++; calls == 10 {
			panic("enough")
		}
	})
	_, _ = m.At(0)
	t.Error("the match came to an end")
}

func FuzzMatch(f *testing.F) {
	f.Add("hello world", "^(%w+)%s(.-)$")
	f.Add("[[x]]", "%b[]%f[%A][^]%d-z]*")
	f.Fuzz(func(t *testing.T, subject, pat string) {
		defer func() {
			if v := recover(); v != nil && v != "enough" {
				panic(v)
			}
		}()
		calls := 0
		m := pattern.New(subject, pat, func() {
			if calls++; calls > 100 {
				panic("enough")
			}
		})
		for at := 0; at <= len(subject); at++ {
			if end, err := m.At(at); err == nil && end > len(subject) {
				t.Fatalf("match ends at %d of %d", end, len(subject))
			} else if err == nil && end >= 0 {
				_, _ = m.Captures(at, end)
			}
		}
	})
}
