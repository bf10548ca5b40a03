package iiif

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawImage(t *rapid.T) Image {
	side := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 5000), rapid.IntRange(1, maxSide))
	return Image{Width: side.Draw(t, "width"), Height: side.Draw(t, "height"), Gray: rapid.Bool().Draw(t, "gray")}
}

func drawLimits(t *rapid.T) Limits {
	side := rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 5000), rapid.IntRange(1, math.MaxInt))
	lim := Limits{MaxWidth: side.Draw(t, "maxWidth"), MaxArea: int64(side.Draw(t, "maxArea"))}
	if lim.MaxWidth > 0 {
		lim.MaxHeight = side.Draw(t, "maxHeight")
	}
	return lim
}

func drawInteger(t *rapid.T) string {
	return strconv.Itoa(rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 5000), rapid.IntRange(0, math.MaxInt)).Draw(t, "integer"))
}

func drawDecimal(t *rapid.T) string {
	return rapid.OneOf(rapid.StringMatching(`\d{1,3}(\.\d{0,20})?`), rapid.StringMatching(`\.\d{1,19}`),
		rapid.SampledFrom([]string{"50", "100", "12.5", "0.1", "9223372036854775807"})).Draw(t, "decimal")
}

func drawRequest(t *rapid.T, v Version) string {
	n, d := func() string { return drawInteger(t) }, func() string { return drawDecimal(t) }
	region := rapid.SampledFrom([]string{
		"full", "square", n() + "," + n() + "," + n() + "," + n(), "pct:" + d() + "," + d() + "," + d() + "," + d(),
	}).Draw(t, "region")
	size := rapid.SampledFrom([]string{
		wholeSize(v), "max", n() + ",", "," + n(), n() + "," + n(), "!" + n() + "," + n(), "pct:" + d(),
	}).Draw(t, "size")
	if v == V3 && rapid.Bool().Draw(t, "caret") {
		size = "^" + size
	}
	rotation := rapid.SampledFrom([]string{"", "!"}).Draw(t, "mirror") +
		rapid.SampledFrom([]string{"0", "90", "270.0", d()}).Draw(t, "rotation")
	quality := rapid.SampledFrom([]string{"default", "color", "gray", "bitonal"}).Draw(t, "quality")
	return region + "/" + size + "/" + rotation + "/" + quality + ".png"
}

// TestCanonicalProperty checks R110 and what every Transform promises, for
// requests of every form.
func TestCanonicalProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(both).Draw(t, "version")
		img, lim, request := drawImage(t), drawLimits(t), drawRequest(t, v)
		p, err := ParseParams(request, v)
		if err != nil {
			checkError(t, err)
			return
		}
		if again, err := ParseParams(p.String(), v); err != nil || again != p {
			t.Fatalf("%s is spelled %s, which is %v, %v", request, p, again, err)
		}
		transform, err := p.Resolve(img, lim)
		if err != nil {
			checkError(t, err)
			return
		}
		checkTransform(t, transform, lim)
		checkFixpoint(t, transform, v, lim)
		enlarged := transform.Width > transform.Region.Width || transform.Height > transform.Region.Height
		if !enlarged || p.enlarges() || p.Size.Kind == SizeExact {
			checkBound(t, p, transform)
		}
		if enlarged && !p.Size.mayEnlarge(v) {
			t.Fatalf("R55: %s of %v scales up to %dx%d", request, img, transform.Width, transform.Height)
		}
	})
}

func checkError(t *rapid.T, err error) {
	var e *Error
	if !errors.As(err, &e) || e.Status != 400 || e.Code == "" || e.Parameter == "" || e.Reason == "" {
		t.Fatalf("error %#v", err)
	}
}

func checkTransform(t *rapid.T, transform Transform, lim Limits) {
	r := transform.Region
	if r.X < 0 || r.Y < 0 || r.Width < 1 || r.Height < 1 || r.X+r.Width > transform.Image.Width || r.Y+r.Height > transform.Image.Height {
		t.Fatalf("region %v of %v", r, transform.Image)
	}
	if transform.Width < 1 || transform.Height < 1 || !lim.allow(int64(transform.Width), int64(transform.Height)) {
		t.Fatalf("R67: %dx%d under %+v", transform.Width, transform.Height, lim)
	}
	if transform.Angle < 0 || transform.Angle >= 360 {
		t.Fatalf("angle %v", transform.Angle)
	}
	w, h := transform.OutputSize()
	diagonal := math.Hypot(float64(transform.Width), float64(transform.Height)) + 1
	if w < 1 || h < 1 || float64(max(w, h)) > diagonal {
		t.Fatalf("R80: %dx%d at %v becomes %dx%d", transform.Width, transform.Height, transform.Angle, w, h)
	}
}

func checkBound(t *rapid.T, p Params, transform Transform) {
	w, h := transform.OutputSize()
	bound, known := p.PixelBound()
	if known && bound < mulSaturated(int64(w), int64(h)) {
		t.Fatalf("%s is bounded by %d pixels, and has %dx%d", p, bound, w, h)
	}
}

// TestArithmeticProperty compares the integer arithmetic with exact numbers.
func TestArithmeticProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, maxSide).Draw(t, "n")
		text := drawDecimal(t)
		d, outcome := lexDecimal(text)
		if outcome != lexOK {
			t.Fatalf("%q is not read", text)
		}
		// The exact value of what is held: at most eighteen places.
		whole, places, _ := strings.Cut(text, ".")
		value, ok := new(big.Rat).SetString("0" + whole + "." + places[:min(18, len(places))] + "0")
		if !ok {
			t.Fatalf("%q has no value", text)
		}
		exact := new(big.Rat).Mul(value, big.NewRat(n, 100))
		if got, want := d.percentOf(n), roundedHalfUp(exact); got != want {
			t.Fatalf("%s%% of %d is %d, want %d", text, n, got, want)
		}
		a, b, c := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a"), n, rapid.Int64Range(1, maxSide).Draw(t, "c")
		product := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(c))
		if got, want := mulDivRounded(a, b, c), roundedHalfUp(product); got != want {
			t.Fatalf("%d·%d/%d is %d, want %d", a, b, c, got, want)
		}
		root := new(big.Int).Sqrt(new(big.Int).Quo(product.Num(), product.Denom()))
		if got := rootOfProduct(uint64(a), uint64(b), uint64(c)); root.Cmp(big.NewInt(got)) != 0 && (got != maxSide || root.Cmp(big.NewInt(got)) < 0) {
			t.Fatalf("root of %d·%d/%d is %d, want %d", a, b, c, got, root)
		}
		if again, _ := lexDecimal(d.String()); again != d {
			t.Fatalf("%s is spelled %s", text, d)
		}
	})
}

// roundedHalfUp saturates like the functions under test.
func roundedHalfUp(r *big.Rat) int64 {
	sum := new(big.Rat).Add(r, big.NewRat(1, 2))
	floor := new(big.Int).Quo(sum.Num(), sum.Denom())
	if !floor.IsInt64() {
		return math.MaxInt64
	}
	return floor.Int64()
}

// TestLargestProperty checks R43 and R60: the result of max and ^max holds
// every limit, and no larger size of the same ratio does.
func TestLargestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(100, 5000)
		img := Image{Width: side.Draw(t, "width"), Height: side.Draw(t, "height")}
		lim := Limits{MaxWidth: side.Draw(t, "maxWidth"), MaxHeight: side.Draw(t, "maxHeight"), MaxArea: rapid.Int64Range(10_000, 25_000_000).Draw(t, "maxArea")}
		for _, size := range []string{"max", "^max"} {
			transform, err := resolve("full/"+size+"/0/default.jpg", V3, img, lim)
			if err != nil {
				t.Fatalf("%s: %v", size, err)
			}
			scale := min(float64(lim.MaxWidth)/float64(img.Width), float64(lim.MaxHeight)/float64(img.Height),
				math.Sqrt(float64(lim.MaxArea)/float64(img.Width)/float64(img.Height)))
			if size == "max" {
				scale = min(scale, 1)
			}
			checkTransform(t, transform, lim)
			if math.Abs(scale*float64(img.Width)-float64(transform.Width)) > 1.001 || math.Abs(scale*float64(img.Height)-float64(transform.Height)) > 1.001 {
				t.Fatalf("%s of %v under %+v is %dx%d, want %s", size, img, lim, transform.Width, transform.Height,
					fmt.Sprintf("%.2fx%.2f", scale*float64(img.Width), scale*float64(img.Height)))
			}
		}
	})
}

// TestRootNearSquares covers the numbers around large squares, where float64
// has no room for the difference.
func TestRootNearSquares(t *testing.T) {
	for _, root := range []int64{1, 2, 94906265, 94906267, 1 << 30, maxSide - 1, maxSide} {
		square := uint64(root) * uint64(root)
		if got := rootOfProduct(square, 1, 1); got != root {
			t.Errorf("root of %d is %d, want %d", square, got, root)
		}
		if got := rootOfProduct(square-1, 1, 1); got != root-1 {
			t.Errorf("root of %d is %d, want %d", square-1, got, root-1)
		}
	}
	if got := rootOfProduct(math.MaxUint64, math.MaxUint64, 1); got != maxSide {
		t.Errorf("a root beyond all sides is %d", got)
	}
}
