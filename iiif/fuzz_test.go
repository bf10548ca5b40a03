package iiif

import (
	"errors"
	"testing"
)

// FuzzParse checks that no path makes Parse or Resolve panic, that errors are
// *Error, and that what is accepted has a canonical form of the same meaning.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"I", "I/info.json", "a%2Fb/file", "I/full/max/0/default.jpg", "I/full/full/0/default.jpg",
		"I/0,0,100,80/^!60,60/!22.5/gray.png", "I/pct:.5,1,2,3/pct:12.5/360/bitonal.tif",
		"I/square/^max/0.001/color.webp", "%ff/%", "I/1,1,1/^^/!!/..", "I/full/9223372036854775807,/0/default.jpg",
	} {
		f.Add(seed, 1000, 800, 4000, int64(12_000_000), true)
	}
	f.Fuzz(func(t *testing.T, path string, width, height, maxWidth int, maxArea int64, third bool) {
		v := V2
		if third {
			v = V3
		}
		r, err := Parse(path, v)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%q: %v", path, err)
			}
			return
		}
		if again, err := Parse(EncodeIdentifier(r.Identifier), v); err != nil || again.Identifier != r.Identifier {
			t.Fatalf("identifier %q comes back as %q, %v", r.Identifier, again.Identifier, err)
		}
		if r.Kind != KindImage || width <= 0 || height <= 0 || width > maxSide || height > maxSide {
			return
		}
		r.Params.PixelBound()
		lim := Limits{MaxWidth: max(0, maxWidth), MaxArea: max(0, maxArea)}
		transform, err := r.Params.Resolve(Image{Width: width, Height: height}, lim)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%q: %v", path, err)
			}
			return
		}
		checkFixpoint(t, transform, v, lim)
	})
}

// FuzzNegotiateInfo checks that every Accept header gets one of the two types.
func FuzzNegotiateInfo(f *testing.F) {
	f.Add(`text/html, application/ld+json;profile="x,y\"";q=0.5, */*;q=0.1`)
	f.Fuzz(func(t *testing.T, accept string) {
		for _, v := range both {
			got := NegotiateInfo(accept, v)
			if got != NegotiateInfo("application/json", v) && got != NegotiateInfo("application/ld+json", v) {
				t.Fatalf("%q gives %q", accept, got)
			}
		}
	})
}
