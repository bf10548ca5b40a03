package iiif

import (
	"math"
	"strings"
)

// lexed is the outcome of reading a number.
type lexed int

const (
	lexOK lexed = iota
	lexSyntax
	lexTooLarge
)

// lexInteger reads a whole string of ASCII digits. strconv would also take
// signs and underscores, which the Image API does not know.
func lexInteger(s string) (int, lexed) {
	if s == "" {
		return 0, lexSyntax
	}
	n, outcome := 0, lexOK
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, lexSyntax
		}
		digit := int(s[i] - '0')
		if n > (math.MaxInt-digit)/10 {
			outcome = lexTooLarge
			continue
		}
		n = n*10 + digit
	}
	return n, outcome
}

// lexDecimal reads digits with at most one point and at least one digit; ".5"
// and "5." are numbers (Image API 3.0, 4.2: "digits and '.'"). Places after
// the eighteenth are read and dropped: they move no pixel.
func lexDecimal(s string) (Decimal, lexed) {
	whole, places, _ := strings.Cut(s, ".")
	if whole == "" && places == "" {
		return Decimal{}, lexSyntax
	}
	var d Decimal
	outcome := lexOK
	if whole != "" {
		n, o := lexInteger(whole)
		if o == lexSyntax {
			return Decimal{}, lexSyntax
		}
		d.whole, outcome = int64(n), o
	}
	unit := uint64(decimalUnit)
	for i := range len(places) {
		if places[i] < '0' || places[i] > '9' {
			return Decimal{}, lexSyntax
		}
		unit /= 10
		d.frac += unit * uint64(places[i]-'0')
	}
	return d, outcome
}

// numberError turns an outcome other than lexOK into the parameter's error.
func numberError(o lexed, code, parameter, reason string) *Error {
	if o == lexTooLarge {
		return badRequest(CodeNumberTooLarge, parameter, "a number is too large")
	}
	return badRequest(code, parameter, reason)
}
