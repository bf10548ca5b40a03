package auth

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/iiifd/iiif"
)

// Size is a restriction written as the size parameter of the Image API 3.0,
// section 4.2: "max", "w,", ",h", "w,h", "!w,h" or "pct:n". It is applied to
// a whole image and never enlarges. The zero value does not restrict.
//
// A "w,h" is taken as "!w,h": a restriction that distorted the image would
// show something else than the original.
type Size struct {
	width, height int
	percent       float64
}

// ParseSize reads a restriction. A leading "^" is accepted and without
// effect.
func ParseSize(text string) (Size, error) {
	bad := fmt.Errorf("auth: %q is not a size such as \"!128,128\" or \"pct:10\"", text)
	t := strings.TrimPrefix(text, "^")
	if t == "max" || t == "full" {
		return Size{}, nil
	}
	if pct, ok := strings.CutPrefix(t, "pct:"); ok {
		p, err := strconv.ParseFloat(pct, 64)
		if err != nil || math.IsNaN(p) || p <= 0 || p > math.MaxInt32 {
			return Size{}, bad
		}
		return Size{percent: p}, nil
	}
	w, h, ok := strings.Cut(strings.TrimPrefix(t, "!"), ",")
	if !ok || (w == "" && h == "") || (t[0] == '!' && (w == "" || h == "")) {
		return Size{}, bad
	}
	var s Size
	for _, side := range []struct {
		text string
		into *int
	}{{w, &s.width}, {h, &s.height}} {
		if side.text == "" {
			continue
		}
		n, err := strconv.ParseUint(side.text, 10, 31)
		if err != nil || n == 0 {
			return Size{}, bad
		}
		*side.into = int(n)
	}
	return s, nil
}

// IsZero tells whether s does not restrict.
func (s Size) IsZero() bool { return s == Size{} }

// String writes the restriction; "" for none.
func (s Size) String() string {
	switch {
	case s.IsZero():
		return ""
	case s.percent > 0:
		return "pct:" + strconv.FormatFloat(s.percent, 'g', -1, 64)
	case s.height == 0:
		return strconv.Itoa(s.width) + ","
	case s.width == 0:
		return "," + strconv.Itoa(s.height)
	}
	return fmt.Sprintf("!%d,%d", s.width, s.height)
}

// Of returns the size, in pixels, as which an image of width × height pixels
// is shown. Neither side grows and neither becomes less than 1.
func (s Size) Of(width, height int) (int, int) {
	scale := 1.0
	if s.percent > 0 {
		scale = min(scale, s.percent/100)
	}
	if s.width > 0 {
		scale = min(scale, float64(s.width)/float64(width))
	}
	if s.height > 0 {
		scale = min(scale, float64(s.height)/float64(height))
	}
	if scale >= 1 {
		return width, height
	}
	w := max(1, int(math.Round(float64(width)*scale)))
	h := max(1, int(math.Round(float64(height)*scale)))
	return w, h
}

// Limits returns the limits on output that go with showing an image of
// width × height pixels as Of(width, height); none for the zero Size.
func (s Size) Limits(width, height int) iiif.Limits {
	if s.IsZero() {
		return iiif.Limits{}
	}
	w, h := s.Of(width, height)
	return iiif.Limits{MaxWidth: w, MaxHeight: h, MaxArea: int64(w) * int64(h)}
}
