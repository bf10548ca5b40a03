package iiif

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// decimalUnit is one in the scale of Decimal.frac.
const decimalUnit = 1_000_000_000_000_000_000

// Decimal is a non-negative decimal number with up to eighteen places, held
// exactly. Two decimals of the same value are equal with ==, however they
// were spelled. The zero value is 0.
type Decimal struct {
	whole int64
	frac  uint64 // in units of 1/decimalUnit
}

// String returns the shortest spelling: no leading zeros but for the one
// before the point, no trailing ones, no point without places.
func (d Decimal) String() string {
	s := strconv.FormatInt(d.whole, 10)
	if d.frac == 0 {
		return s
	}
	places := strconv.FormatUint(decimalUnit+d.frac, 10)[1:]
	return s + "." + strings.TrimRight(places, "0")
}

// Float64 returns the nearest float64 but for the last bit.
func (d Decimal) Float64() float64 {
	return float64(d.whole) + float64(d.frac)/decimalUnit
}

// IsZero tells whether d is 0.
func (d Decimal) IsZero() bool { return d == Decimal{} }

// exceeds tells whether d > n.
func (d Decimal) exceeds(n int64) bool {
	return d.whole > n || d.whole == n && d.frac > 0
}

// percentOf returns d percent of n, rounded half up and saturated; n >= 0.
// The arithmetic is exact: only the final division by 100 rounds.
func (d Decimal) percentOf(n int64) int64 {
	high, low := bits.Mul64(uint64(n), d.frac)
	part, _ := bits.Div64(high, low, decimalUnit)
	high, low = bits.Mul64(uint64(n), uint64(d.whole))
	low, carry := bits.Add64(low, part, 0)
	return divRounded(high+carry, low, 100)
}

func mulSaturated(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// mulDivRounded returns a·b/c rounded half up and saturated, for a, b >= 0
// and c > 0.
func mulDivRounded(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return divRounded(high, low, uint64(c))
}

// divRounded divides a 128-bit number, rounded half up and saturated.
func divRounded(high, low, c uint64) int64 {
	if high >= c {
		return math.MaxInt64
	}
	quotient, rest := bits.Div64(high, low, c)
	if rest >= c-rest {
		quotient++
	}
	if quotient > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(quotient)
}
