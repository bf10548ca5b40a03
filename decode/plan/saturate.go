package plan

import "math"

// Sizes are multiplied and added so that they stop at the largest int64: a
// product that wraps would make the dearest request look cheap.

// product multiplies non-negative factors.
func product(factors ...int64) int64 {
	p := int64(1)
	for _, f := range factors {
		if f <= 0 {
			return 0
		}
		if p > math.MaxInt64/f {
			return math.MaxInt64
		}
		p *= f
	}
	return p
}

// sum adds non-negative terms.
func sum(terms ...int64) int64 {
	s := int64(0)
	for _, t := range terms {
		if t > math.MaxInt64-s {
			return math.MaxInt64
		}
		s += max(t, 0)
	}
	return s
}

// times multiplies n by a factor that is no whole number, rounding up.
func times(n int64, factor float64) int64 {
	v := math.Ceil(float64(max(n, 0)) * factor)
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}

// over divides non-negative n by d and rounds up.
func over(n, d int64) int64 {
	if d < 1 {
		return n
	}
	q := n / d
	if n%d > 0 {
		q++
	}
	return q
}

// roundUp is the next multiple of step.
func roundUp(n, step int64) int64 { return product(over(n, step), step) }
