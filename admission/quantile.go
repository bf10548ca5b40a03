package admission

import (
	"math"
	"slices"
	"time"
)

// quantile remembers the last durations and tells their quantiles.
type quantile struct {
	last [128]time.Duration
	n    int
}

func (q *quantile) add(d time.Duration) {
	q.last[q.n%len(q.last)] = d
	q.n++
}

// at returns the p-quantile, and false while too little was seen to tell.
func (q *quantile) at(p float64) (time.Duration, bool) {
	const least = 32
	n := min(q.n, len(q.last))
	if n < least {
		return 0, false
	}
	sorted := slices.Clone(q.last[:n])
	slices.Sort(sorted)
	return sorted[int(math.Ceil(p*float64(n)))-1], true
}
