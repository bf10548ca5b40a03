package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

type textValue struct{ p *string }

func (v textValue) set(text string) error { *v.p = text; return nil }
func (v textValue) String() string        { return *v.p }

type wordValue struct {
	p     *string
	words []string
}

func (v wordValue) set(text string) error {
	for _, w := range v.words {
		if strings.EqualFold(w, strings.TrimSpace(text)) {
			*v.p = w
			return nil
		}
	}
	return fmt.Errorf("%q is not one of %s", text, strings.Join(v.words, ", "))
}
func (v wordValue) String() string { return *v.p }

type boolValue struct{ p *bool }

func (v boolValue) set(text string) error {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		*v.p = true
	case "false", "0", "no", "off":
		*v.p = false
	default:
		return fmt.Errorf("%q is neither true nor false", text)
	}
	return nil
}
func (v boolValue) String() string { return strconv.FormatBool(*v.p) }

type intValue struct {
	p         *int
	low, high int
}

func (v intValue) set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", text)
	}
	if n < v.low || n > v.high {
		return fmt.Errorf("%d is outside %d to %d", n, v.low, v.high)
	}
	*v.p = n
	return nil
}
func (v intValue) String() string { return strconv.Itoa(*v.p) }

type numberValue struct {
	p         *float64
	low, high float64
}

func (v numberValue) set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return fmt.Errorf("%q is not a finite number", text)
	}
	if n < v.low || n > v.high {
		return fmt.Errorf("%v is outside %v to %v", n, v.low, v.high)
	}
	*v.p = n
	return nil
}
func (v numberValue) String() string { return strconv.FormatFloat(*v.p, 'g', -1, 64) }

type durationValue struct {
	p         *time.Duration
	low, high time.Duration
}

func (v durationValue) set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		if _, numErr := strconv.ParseFloat(text, 64); numErr == nil && text != "0" {
			return fmt.Errorf("%q has no unit; write %ss or %sms", text, text, text)
		}
		return fmt.Errorf("%q is not a duration such as 500ms, 10s or 2m", text)
	}
	if d < v.low || d > v.high {
		return fmt.Errorf("%v is outside %v to %v", d, v.low, v.high)
	}
	*v.p = d
	return nil
}

// String drops the zero units that time.Duration appends ("1m0s").
func (v durationValue) String() string {
	s := v.p.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

type sizeValue struct {
	p         *int64
	low, high int64
}

func (v sizeValue) set(text string) error {
	n, err := ParseSize(text)
	if err != nil {
		return err
	}
	if n < v.low || n > v.high {
		return fmt.Errorf("%s is outside %s to %s", text, FormatSize(v.low), FormatSize(v.high))
	}
	*v.p = n
	return nil
}
func (v sizeValue) String() string { return FormatSize(*v.p) }

type listValue struct{ p *[]string }

func (v listValue) set(text string) error {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	*v.p = out
	return nil
}
func (v listValue) String() string { return strings.Join(*v.p, ",") }
