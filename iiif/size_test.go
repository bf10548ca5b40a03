package iiif

import "testing"

// Image API 3.0 and 2.1, section 4.2: size.

const v2, v3, v23 = 1, 2, 3

func versionsOf(mask int) []Version {
	return [][]Version{nil, {V2}, {V3}, both}[mask]
}

func TestSize(t *testing.T) {
	rows := []struct {
		requirement   string
		versions      int
		request, want string
	}{
		{"R42 max", v3, "full/max", "1000x800"},
		{"R42 max of a region", v3, "0,0,200,100/max", "200x100"},
		{"R44 full is not a size of 3.0", v3, "full/full", CodeSizeInvalid},
		{"R45 full", v2, "full/full", "1000x800"},
		{"R45 full of a region", v2, "0,0,200,100/full", "200x100"},
		{"R46 max", v2, "full/max", "1000x800"},
		{"R47 w,", v23, "full/500,", "500x400"},
		{"R47 w, rounded down", v23, "full/333,", "333x266"},
		{"R47 w, of exactly a half", v23, "0,0,1000,1/500,", "500x1"},
		{"R48 ,h", v23, "full/,400", "500x400"},
		{"R48 ,h rounded down", v23, "full/,333", "416x333"},
		{"R49 half", v23, "full/pct:50", "500x400"},
		{"R49 a third", v23, "full/pct:33.333", "333x267"},
		{"R49 an eighth", v23, "full/pct:12.5", "125x100"},
		{"R49 all", v23, "full/pct:100", "1000x800"},
		{"R50 w,h distorted", v23, "full/500,200", "500x200"},
		{"R50 one pixel", v23, "full/1,1", "1x1"},
		{"R50 one column", v23, "full/1,400", "1x400"},
		{"R51 !w,h", v23, "full/!500,500", "500x400"},
		{"R51 !w,h exactly a half", v23, "full/!1000,266", "333x266"},
		{"R52 !w,h of a high region", v23, "0,0,100,800/!500,400", "50x400"},
		{"R53 box larger than the region", v23, "full/!2000,3000", "1000x800"},
		{"R54 one side larger", v23, "0,0,500,266/!1500,133", "250x133"},
		{"R55 w, too large", v3, "full/1001,", CodeSizeUpscales},
		{"R55 ,h too large", v3, "full/,801", CodeSizeUpscales},
		{"R55 width too large", v3, "full/1001,800", CodeSizeUpscales},
		{"R55 height too large", v3, "full/1000,801", CodeSizeUpscales},
		{"R55 percent too large", v3, "full/pct:100.1", CodeSizeUpscales},
		{"R55 percent a trace too large", v3, "full/pct:100.000000000000000001", CodeSizeUpscales},
		{"R55 twice", v3, "full/pct:200", CodeSizeUpscales},
		{"R55 larger than the region", v3, "0,0,500,400/501,", CodeSizeUpscales},
		{"R55 judged per dimension", v3, "full/1001,10", CodeSizeUpscales},
		{"R55 percent of a tiny region", v3, "0,0,10,10/pct:100.1", CodeSizeUpscales},
		{"R56 percent of the cut region", v23, "900,750,400,400/pct:50", "50x25"},
		{"R56 pixels of the cut region", v3, "900,750,400,400/200,200", CodeSizeUpscales},
		{"R57 ^w,", v3, "full/^2000,", "2000x1600"},
		{"R57 ^,h", v3, "full/^,1600", "2000x1600"},
		{"R57 ^pct:", v3, "full/^pct:150", "1500x1200"},
		{"R57 ^w,h", v3, "full/^1050,400", "1050x400"},
		{"R57 ^!w,h", v3, "full/^!2000,2400", "2000x1600"},
		{"R58 ^w, without need", v3, "full/^500,", "500x400"},
		{"R58 ^pct without need", v3, "full/^pct:50", "500x400"},
		{"R58 ^w,h without need", v3, "full/^500,200", "500x200"},
		{"R58 ^!w,h without need", v3, "full/^!500,500", "500x400"},
		{"R59 malformed", v3, "full/^cats", CodeSizeInvalid},
		{"R60 ^max", v3, "full/^max", "3872x3098"},
		{"R61 ^max of one pixel", v3, "0,0,1,1/^max", "3464x3464"},
		{"R64 w, in 2.x", v2, "full/2000,", "2000x1600"},
		{"R64 ,h in 2.x", v2, "full/,1600", "2000x1600"},
		{"R64 pct: in 2.x", v2, "full/pct:150", "1500x1200"},
		{"R64 w,h in 2.x", v2, "full/1050,400", "1050x400"},
		{"R64 of a region in 2.x", v2, "0,0,500,400/501,", "501x401"},
		{"R64 of a cut region in 2.x", v2, "900,750,400,400/200,200", "200x200"},
		{"R64 above the limits in 2.x", v2, "full/4001,", CodeSizeExceedsLimits},
		{"R64 above the area in 2.x", v2, "full/3900,", CodeSizeExceedsLimits},
		{"R64 percent above the limits in 2.x", v2, "full/pct:9223372036854775807", CodeSizeExceedsLimits},
		{"R64 max in 2.x does not enlarge", v2, "0,0,10,10/max", "10x10"},
		{"R64 caret in 2.x", v2, "full/^500,", CodeSizeInvalid},
		{"R64 caret and max in 2.x", v2, "full/^max", CodeSizeInvalid},
		{"R65 no width", v23, "full/0,", CodeSizeZero},
		{"R65 no height", v23, "full/,0", CodeSizeZero},
		{"R65 nothing", v23, "full/0,0", CodeSizeZero},
		{"R65 no height of two", v23, "full/10,0", CodeSizeZero},
		{"R65 box without width", v23, "full/!0,10", CodeSizeZero},
		{"R65 no percent", v23, "full/pct:0", CodeSizeZero},
		{"R65 no percent with places", v23, "full/pct:0.0", CodeSizeZero},
		{"R66 0.8 pixels", v23, "full/1,", "1x1"},
		{"R66 0.4 pixels", v23, "0,0,1000,400/1,", CodeSizeZero},
		{"R66 0.4 pixels by percent", v23, "full/pct:0.04", CodeSizeZero},
		{"R66 0.4 pixels in a box", v23, "0,0,1000,4/!100,100", CodeSizeZero},
		{"R67 above maxWidth", v3, "full/^4001,100", CodeSizeExceedsLimits},
		{"R67 above maxHeight", v3, "full/^100,4001", CodeSizeExceedsLimits},
		{"R67 above maxArea", v3, "full/^4000,3001", CodeSizeExceedsLimits},
		{"R67 at maxArea", v3, "full/^4000,3000", "4000x3000"},
		{"R67 implied height above the limits", v3, "0,0,10,800/^1000,", CodeSizeExceedsLimits},
		{"R67 percent above the limits", v3, "full/^pct:401", CodeSizeExceedsLimits},
		{"R68 ^!w,h reduced to the limits", v3, "full/^!9000,9000", "3872x3098"},
		{"R69 rounded up", v23, "full/334,", "334x267"},
		{"R70 comma alone", v23, "full/,", CodeSizeInvalid},
		{"R70 one number", v23, "full/10", CodeSizeInvalid},
		{"R70 one number in a box", v23, "full/!10", CodeSizeInvalid},
		{"R70 box without height", v23, "full/!10,", CodeSizeInvalid},
		{"R70 box without width", v23, "full/!,10", CodeSizeInvalid},
		{"R70 unit alone", v23, "full/pct", CodeSizeInvalid},
		{"R70 percent of nothing", v23, "full/pct:", CodeSizeInvalid},
		{"R70 percent of letters", v23, "full/pct:abc", CodeSizeInvalid},
		{"R70 exponent", v23, "full/pct:1e1", CodeSizeInvalid},
		{"R70 plus sign", v23, "full/pct:+10", CodeSizeInvalid},
		{"R70 minus sign", v23, "full/pct:-10", CodeSizeInvalid},
		{"R70 not a number", v23, "full/pct:NaN", CodeSizeInvalid},
		{"R70 infinite", v23, "full/pct:Inf", CodeSizeInvalid},
		{"R70 two percents", v23, "full/pct:10,10", CodeSizeInvalid},
		{"R70 fraction of a pixel", v23, "full/1.5,", CodeSizeInvalid},
		{"R70 point", v23, "full/10.0,10", CodeSizeInvalid},
		{"R70 three numbers", v23, "full/10,10,10", CodeSizeInvalid},
		{"R70 exponent of pixels", v23, "full/1e2,", CodeSizeInvalid},
		{"R70 hexadecimal", v23, "full/0x10,", CodeSizeInvalid},
		{"R70 negative", v23, "full/-1,", CodeSizeInvalid},
		{"R70 upper case", v23, "full/MAX", CodeSizeInvalid},
		{"R70 unit in upper case", v23, "full/PCT:50", CodeSizeInvalid},
		{"R70 box of a word", v23, "full/!max", CodeSizeInvalid},
		{"R70 caret alone", v23, "full/^", CodeSizeInvalid},
		{"R70 two carets", v23, "full/^^max", CodeSizeInvalid},
		{"R70 caret after the box", v23, "full/!^10,10", CodeSizeInvalid},
		{"R70 caret at the end", v23, "full/max^", CodeSizeInvalid},
		{"R70 caret and full", v23, "full/^full", CodeSizeInvalid},
		{"R70 word for a number", v23, "full/cats,50", CodeSizeInvalid},
		{"R70 two points", v23, "full/pct:1.2.3", CodeSizeInvalid},
		{"R71 beyond 64 bits", v23, "full/99999999999999999999999,", CodeNumberTooLarge},
		{"R71 box beyond 64 bits", v23, "full/!5,99999999999999999999999", CodeNumberTooLarge},
		{"R71 largest integer", v3, "full/^9223372036854775807,", CodeSizeExceedsLimits},
		{"R71 largest integers", v3, "full/^9223372036854775807,9223372036854775807", CodeSizeExceedsLimits},
		{"R71 largest percent", v3, "full/^pct:9223372036854775807", CodeSizeExceedsLimits},
		{"R71 largest box", v3, "full/!9223372036854775807,9223372036854775807", "1000x800"},
		{"R72 places of zero", v23, "full/pct:10.0", "100x80"},
		{"R72 no digit before the point", v23, "full/pct:.5", "5x4"},
		{"R72 no digit after the point", v23, "full/pct:5.", "50x40"},
		{"R72 leading zeros", v23, "full/pct:0050", "500x400"},
		{"R72 point alone", v23, "full/pct:.", CodeSizeInvalid},
	}
	for _, row := range rows {
		for _, v := range versionsOf(row.versions) {
			t.Run(row.requirement, func(t *testing.T) {
				if got := outcome(t, row.request+"/0/default.jpg", v, example, exampleLimits); got != row.want {
					t.Errorf("version %d, %s: %s, want %s", v, row.request, got, row.want)
				}
			})
		}
	}
}

func TestSizeOtherImagesAndLimits(t *testing.T) {
	rows := []struct {
		requirement string
		versions    int
		img         Image
		limits      Limits
		request     string
		want        string
	}{
		{"R43 max under maxArea", v23, Image{Width: 6000, Height: 4000}, Limits{MaxArea: 4_000_000}, "full/max", "2449x1632"},
		{"R43 max under maxWidth", v23, Image{Width: 6000, Height: 4000}, Limits{MaxWidth: 2001}, "full/max", "2001x1334"},
		{"R43 max under maxHeight", v23, Image{Width: 6000, Height: 4000}, Limits{MaxWidth: 4000, MaxHeight: 1000}, "full/max", "1500x1000"},
		{"R43 area beyond the aspect", v23, Image{Width: 1, Height: 100_000}, Limits{MaxArea: 4000}, "full/max", "1x4000"},
		{"R43 area beyond the aspect, wide", v23, Image{Width: 100_000, Height: 1}, Limits{MaxArea: 4000}, "full/max", "4000x1"},
		{"R43 side beyond the aspect", v23, Image{Width: 100_000, Height: 1}, Limits{MaxWidth: 100}, "full/max", "100x1"},
		{"R45 full over the limits", v2, Image{Width: 6000, Height: 4000}, Limits{MaxWidth: 2000}, "full/full", CodeSizeExceedsLimits},
		{"R50 w,h of the whole over the limits", v23, Image{Width: 6000, Height: 4000}, Limits{MaxWidth: 2000}, "full/6000,4000", CodeSizeExceedsLimits},
		{"R60 ^max within maxWidth", v3, example, Limits{MaxWidth: 2000}, "full/^max", "2000x1600"},
		{"R60 ^max of an image above the limits", v3, Image{Width: 6000, Height: 4000}, Limits{MaxWidth: 3000}, "full/^max", "3000x2000"},
		{"R62 ^max without limits", v3, example, Limits{}, "full/^max", "1000x800"},
		{"R66 2000x9", v23, Image{Width: 2000, Height: 9}, Limits{}, "full/3,", CodeSizeZero},
		{"R66 distorted on purpose", v23, Image{Width: 2000, Height: 9}, Limits{}, "full/3,1", "3x1"},
		{"R67 maxWidth alone bounds the height", v3, example, Limits{MaxWidth: 1000}, "full/^1000,1001", CodeSizeExceedsLimits},
		{"R67 no encoder writes more", v3, example, Limits{}, "full/^2147483648,1", CodeSizeExceedsLimits},
		{"R68 !w,h reduced to maxWidth", v23, Image{Width: 6000, Height: 4000}, Limits{MaxWidth: 3000}, "full/!5000,5000", "3000x2000"},
		{"R68 !w,h reduced to maxArea", v23, Image{Width: 6000, Height: 4000}, Limits{MaxArea: 600}, "full/!5000,5000", "30x20"},
		{"R165 2.x tile of less than half a pixel", v2, Image{Width: 1237, Height: 1025}, Limits{}, "0,1024,1024,1/256,", "256x1"},
		{"R165 2.x corner tile", v2, Image{Width: 1237, Height: 1025}, Limits{}, "1024,1024,213,1/54,", "54x1"},
		{"R73 2.x listed size", v2, Image{Width: 4000, Height: 7}, Limits{}, "full/250,", "250x1"},
		{"R66 2.x other sizes are refused", v2, Image{Width: 4000, Height: 7}, Limits{}, "full/251,", CodeSizeZero},
		{"R66 3.0 tiles are w,h", v3, Image{Width: 1237, Height: 1025}, Limits{}, "0,1024,1024,1/256,", CodeSizeZero},
	}
	for _, row := range rows {
		for _, v := range versionsOf(row.versions) {
			t.Run(row.requirement, func(t *testing.T) {
				if got := outcome(t, row.request+"/0/default.jpg", v, row.img, row.limits); got != row.want {
					t.Errorf("version %d, %s of %v: %s, want %s", v, row.request, row.img, got, row.want)
				}
			})
		}
	}
}

func TestLimitsValidate(t *testing.T) {
	for _, l := range []Limits{{}, {MaxWidth: 1}, {MaxWidth: 1, MaxHeight: 2}, {MaxArea: 1}} {
		if err := l.Validate(); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
	for _, l := range []Limits{{MaxHeight: 1}, {MaxWidth: -1}, {MaxArea: -1}, {MaxWidth: 1, MaxHeight: -1}} {
		if l.Validate() == nil {
			t.Errorf("R119: %+v is valid", l)
		}
	}
}
