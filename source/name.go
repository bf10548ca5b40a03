package source

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// candidate is one reading of an identifier: a slash-separated path below
// the source and a page counted from 0, or -1.
type candidate struct {
	path string
	page int
}

// candidates returns the readings of an identifier in the order in which
// they are tried: the name as it is, in the other Unicode normal forms, with
// each extension; then the same without a page suffix ";N". So a file really
// called "a;2" wins over page 2 of "a".
func candidates(identifier string, extensions []string) []candidate {
	if !validPath(identifier) {
		return nil
	}
	out := spellings(identifier, -1, extensions)
	if base, page, ok := cutPage(identifier); ok && validPath(base) {
		out = append(out, spellings(base, page, extensions)...)
	}
	return out
}

func spellings(path string, page int, extensions []string) []candidate {
	out := []candidate{{path, page}}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(path); other != path {
			out = append(out, candidate{other, page})
		}
	}
	for _, ext := range extensions {
		out = append(out, candidate{path + "." + strings.TrimPrefix(ext, "."), page})
	}
	return out
}

// cutPage splits "name;N" where N counts from 1 without leading zeros.
func cutPage(identifier string) (base string, page int, ok bool) {
	i := strings.LastIndexByte(identifier, ';')
	if i <= 0 {
		return "", 0, false
	}
	digits := identifier[i+1:]
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || digits[0] < '1' || digits[0] > '9' {
		return "", 0, false
	}
	return identifier[:i], n - 1, true
}

// maxIdentifier is above the longest path Linux takes (PATH_MAX, 4096).
const maxIdentifier = 4096

// validPath tells whether a path may be looked up at all: relative, in UTF-8,
// without control characters, without empty, "." or ".." elements and
// without hidden ones.
func validPath(path string) bool {
	if path == "" || len(path) > maxIdentifier || !utf8.ValidString(path) {
		return false
	}
	for _, r := range path {
		if r < 0x20 || r == 0x7f {
			return false
		}
	}
	for element := range strings.SplitSeq(path, "/") {
		if element == "" || element[0] == '.' {
			return false
		}
	}
	return true
}
