package iiif

import (
	"errors"
	"fmt"
	"testing"
)

// example is the image of the requirement tables, with its limits.
var (
	example       = Image{Width: 1000, Height: 800}
	exampleLimits = Limits{MaxWidth: 4000, MaxHeight: 4000, MaxArea: 12_000_000}
)

var both = []Version{V2, V3}

// wholeSize is the size parameter that both versions use for no scaling.
func wholeSize(v Version) string {
	if v == V2 {
		return "full"
	}
	return "max"
}

func resolve(params string, v Version, img Image, lim Limits) (Transform, error) {
	p, err := ParseParams(params, v)
	if err != nil {
		return Transform{}, err
	}
	return p.Resolve(img, lim)
}

func mustResolve(t *testing.T, params string, v Version, img Image, lim Limits) Transform {
	t.Helper()
	transform, err := resolve(params, v, img, lim)
	if err != nil {
		t.Fatalf("%s (version %d): %v", params, v, err)
	}
	return transform
}

// outcome tells in a word what becomes of a request: "1000x800" or the code
// of its error. It fails the test on errors that have no code.
func outcome(t *testing.T, params string, v Version, img Image, lim Limits) string {
	t.Helper()
	transform, err := resolve(params, v, img, lim)
	if err != nil {
		return codeOf(t, err)
	}
	return fmt.Sprintf("%dx%d", transform.Width, transform.Height)
}

func codeOf(t *testing.T, err error) string {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error without a code: %v", err)
	}
	if e.Status != 400 && e.Status != 404 || e.Reason == "" {
		t.Errorf("error %q with status %d and reason %q", e.Code, e.Status, e.Reason)
	}
	return e.Code
}

// reporter is what checks need of testing.T and rapid.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}
