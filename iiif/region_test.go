package iiif

import (
	"strings"
	"testing"
)

// Image API 3.0 and 2.1, section 4.1: region.

func TestRegion(t *testing.T) {
	rows := []struct{ requirement, region, want string }{
		{"R27 full", "full", "0,0,1000,800"},
		{"R28 pixels", "125,15,120,140", "125,15,120,140"},
		{"R29 first pixel", "0,0,1,1", "0,0,1,1"},
		{"R29 last pixel", "999,799,1,1", "999,799,1,1"},
		{"R29 last column", "999,0,1,800", "999,0,1,800"},
		{"R30 over the edge", "940,760,500,500", "940,760,60,40"},
		{"R30 R170 beyond 32 bits", "0,0,4294967296,4294967296", "0,0,1000,800"},
		{"R30 largest integer", "1,1,9223372036854775807,9223372036854775807", "1,1,999,799"},
		{"R31 no width", "0,0,0,10", CodeRegionEmpty},
		{"R31 no height", "0,0,10,0", CodeRegionEmpty},
		{"R31 no percent", "pct:0,0,0,10", CodeRegionEmpty},
		{"R31 zero with places", "pct:0,0,10,0.000", CodeRegionEmpty},
		{"R32 right of the image", "1000,0,10,10", CodeRegionOutside},
		{"R32 below the image", "0,800,10,10", CodeRegionOutside},
		{"R32 right by percent", "pct:100,0,10,10", CodeRegionOutside},
		{"R32 far off", "9223372036854775807,0,10,10", CodeRegionOutside},
		{"R33 percent", "pct:10,10,50,50", "100,80,500,400"},
		{"R34 clamped", "pct:41.6,7.5,66.6,100", "416,60,584,740"},
		{"R34 half beyond", "pct:50,50,100,100", "500,400,500,400"},
		{"R34 twice the image", "pct:0,0,200,200", "0,0,1000,800"},
		{"R34 astronomic", "pct:0,0,9223372036854775807,9223372036854775807", "0,0,1000,800"},
		{"R35 half up, one by one", "pct:33.333,33.333,33.333,33.333", "333,267,333,267"},
		{"R35 exactly a half", "pct:0.05,0,0.15,1", "1,0,2,8"},
		{"R35 just below a half", "pct:0,0,0.1499999999999999,1", "0,0,1,8"},
		{"R36 rounds to nothing", "pct:0,0,0.001,0.001", CodeRegionEmpty},
		{"R36 position rounds to the edge", "pct:99.99,0,1,1", CodeRegionOutside},
		{"R37 square", "square", "100,0,800,800"},
		{"R39 sign", "-1,0,10,10", CodeRegionInvalid},
		{"R39 three numbers", "0,0,10", CodeRegionInvalid},
		{"R39 five numbers", "0,0,10,10,10", CodeRegionInvalid},
		{"R39 letters", "a,b,c,d", CodeRegionInvalid},
		{"R39 fraction of a pixel", "0.5,0,10,10", CodeRegionInvalid},
		{"R39 point", "0,0,10.0,10", CodeRegionInvalid},
		{"R39 exponent", "1e2,0,10,10", CodeRegionInvalid},
		{"R39 hexadecimal", "0x10,0,10,10", CodeRegionInvalid},
		{"R39 plus sign", "+1,0,10,10", CodeRegionInvalid},
		{"R39 space", "%200,0,10,10", CodeRegionInvalid},
		{"R39 underscore", "1_0,0,10,10", CodeRegionInvalid},
		{"R39 empty number", "0,,10,10", CodeRegionInvalid},
		{"R39 upper case", "FULL", CodeRegionInvalid},
		{"R39 unknown unit", "px:0,0,10,10", CodeRegionInvalid},
		{"R39 percent of nothing", "pct:", CodeRegionInvalid},
		{"R39 percent of three", "pct:0,0,10", CodeRegionInvalid},
		{"R39 negative percent", "pct:-1,0,10,10", CodeRegionInvalid},
		{"R39 not a number", "pct:NaN,0,10,10", CodeRegionInvalid},
		{"R39 percent in upper case", "PCT:0,0,10,10", CodeRegionInvalid},
		{"R39 full-width digits", "%EF%BC%91,0,10,10", CodeRegionInvalid},
		{"R39 Arabic digits", "%D9%A1,0,10,10", CodeRegionInvalid},
		{"R39 two points", "pct:0,0,1.2.3,10", CodeRegionInvalid},
		{"R39 point alone", "pct:0,0,.,10", CodeRegionInvalid},
		{"R40 leading zeros", "0010,0010,0050,0040", "10,10,50,40"},
		{"R40 beyond 64 bits", "0,0,99999999999999999999,10", CodeNumberTooLarge},
		{"R40 percent beyond 64 bits", "pct:0,0,99999999999999999999,10", CodeNumberTooLarge},
		{"R40 syntax comes first", "99999999999999999999,0,x,10", CodeRegionInvalid},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				transform, err := resolve(row.region+"/"+wholeSize(v)+"/0/default.png", v, example, exampleLimits)
				got := transform.Region.String()
				if err != nil {
					got = codeOf(t, err)
				}
				if got != row.want {
					t.Errorf("%s: %s, want %s", row.region, got, row.want)
				}
			})
		}
	}
}

func TestRegionOfOtherImages(t *testing.T) {
	rows := []struct {
		requirement, region string
		img                 Image
		want                string
	}{
		{"R34 the specification's example", "pct:41.6,7.5,66.6,100", Image{Width: 300, Height: 200}, "125,15,175,185"},
		{"R37 square of an upright image", "square", Image{Width: 800, Height: 1001}, "0,100,800,800"},
		{"R38 square of a square", "square", Image{Width: 7, Height: 7}, "0,0,7,7"},
		{"R41 the image is the upright one", "0,0,800,1000", Image{Width: 800, Height: 1000}, "0,0,800,1000"},
		{"one pixel", "full", Image{Width: 1, Height: 1}, "0,0,1,1"},
		{"largest image", "2147483646,0,9,9", Image{Width: maxSide, Height: maxSide}, "2147483646,0,1,9"},
	}
	for _, row := range rows {
		for _, v := range both {
			t.Run(row.requirement, func(t *testing.T) {
				transform := mustResolve(t, row.region+"/"+wholeSize(v)+"/0/default.png", v, row.img, Limits{})
				if got := transform.Region.String(); got != row.want {
					t.Errorf("%s of %v: %s, want %s", row.region, row.img, got, row.want)
				}
				if got := strings.HasPrefix(transform.Canonical(), "full/"); got != transform.WholeImage() {
					t.Errorf("whole image: %t, canonical %s", transform.WholeImage(), transform.Canonical())
				}
			})
		}
	}
}

func TestResolveNeedsPixels(t *testing.T) {
	p, err := ParseParams("full/max/0/default.jpg", V3)
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range []Image{{}, {Width: 1}, {Height: 1}, {Width: -1, Height: 1}, {Width: 1 << 31, Height: 1}} {
		if _, err := p.Resolve(img, Limits{}); err == nil {
			t.Errorf("%v was resolved", img)
		}
	}
}
