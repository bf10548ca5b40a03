package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizeUnits are all binary. KB, MB and GB are left out on purpose: half of
// their users mean powers of ten.
var sizeUnits = map[string]int64{
	"": 1, "B": 1,
	"K": 1 << 10, "KI": 1 << 10, "KIB": 1 << 10,
	"M": 1 << 20, "MI": 1 << 20, "MIB": 1 << 20,
	"G": 1 << 30, "GI": 1 << 30, "GIB": 1 << 30,
	"T": 1 << 40, "TI": 1 << 40, "TIB": 1 << 40,
}

// ParseSize reads a number of bytes: plain, or with K, M, G, T, Ki, Mi, Gi,
// Ti, KiB, MiB, GiB, TiB, in any case, all binary.
func ParseSize(text string) (int64, error) {
	t := strings.TrimSpace(text)
	digits := strings.TrimRightFunc(t, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	unit := strings.ToUpper(strings.TrimSpace(t[len(digits):]))
	switch unit {
	case "KB", "MB", "GB", "TB":
		return 0, fmt.Errorf("%q: %s could be decimal or binary; write %siB", text, strings.TrimSpace(t[len(digits):]), unit[:1])
	}
	factor, ok := sizeUnits[unit]
	if !ok || digits == "" || digits[0] == '-' {
		return 0, fmt.Errorf("%q is not a size such as 512M or 4GiB", text)
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		if n < 0 || n > math.MaxInt64/factor {
			return 0, fmt.Errorf("%q is too large", text)
		}
		return n * factor, nil
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f < 0 || f*float64(factor) >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size such as 512M or 4GiB", text)
	}
	return int64(f * float64(factor)), nil
}

// FormatSize writes bytes in the largest unit that divides them.
func FormatSize(n int64) string {
	if n == 0 {
		return "0"
	}
	for _, u := range []struct {
		name   string
		factor int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n%u.factor == 0 {
			return strconv.FormatInt(n/u.factor, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
