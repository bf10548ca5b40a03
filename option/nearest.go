package option

import (
	"slices"
	"sort"
)

// unknown is the error for a name that no option has; it suggests the
// nearest one.
func unknown(name string, names []string) error {
	reason := "no such option"
	if best := Nearest(name, names); best != "" {
		reason += "; did you mean " + best + "?"
	}
	return &Error{Key: name, Reason: reason}
}

// Nearest returns the name with the smallest edit distance to the given one,
// or "" where none is close (more than a third of its letters differ).
func Nearest(name string, names []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, candidate := range names {
		if d := distance(name, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitution := diagonal
			if a[i] != b[j] {
				substitution++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{substitution, row[j] + 1, diagonal + 1})
		}
	}
	return row[len(b)]
}

func sortedKeys(values Values) []string {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
