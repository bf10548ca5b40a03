package iiif

import "testing"

// Image API 3.0 and 2.1, section 4.7: canonical URI syntax.

func TestCanonical(t *testing.T) {
	rows := []struct {
		requirement   string
		version       Version
		request, want string
	}{
		{"R104 full", V3, "full/max", "full/max"},
		{"R104 all pixels", V3, "0,0,1000,800/max", "full/max"},
		{"R104 all percent", V3, "pct:0,0,100,100/max", "full/max"},
		{"R104 beyond all", V3, "0,0,5000,5000/max", "full/max"},
		{"R104 cut", V3, "930,740,500,500/max", "930,740,70,60/max"},
		{"R104 percent", V3, "pct:0,0,50,50/max", "0,0,500,400/max"},
		{"R104 square", V3, "square/max", "100,0,800,800/max"},
		{"R40 leading zeros", V3, "0010,0010,0050,0040/max", "10,10,50,40/max"},
		{"R105 width of all", V3, "full/1000,", "full/max"},
		{"R105 height of all", V3, "full/,800", "full/max"},
		{"R105 both sides of all", V3, "full/1000,800", "full/max"},
		{"R105 whole percent", V3, "full/pct:100", "full/max"},
		{"R105 box of all", V3, "full/!1000,800", "full/max"},
		{"R105 box beyond all", V3, "full/!2000,3000", "full/max"},
		{"R105 caret without need", V3, "full/^1000,", "full/max"},
		{"R105 largest", V3, "full/^max", "full/^max"},
		{"R105 largest by its sides", V3, "full/^3872,3098", "full/^max"},
		{"R105 largest by its box", V3, "full/^!9000,9000", "full/^max"},
		{"R105 w,", V3, "full/500,", "full/500,400"},
		{"R105 ,h", V3, "full/,400", "full/500,400"},
		{"R105 percent", V3, "full/pct:50", "full/500,400"},
		{"R105 box", V3, "full/!500,500", "full/500,400"},
		{"R105 upscaled percent", V3, "full/^pct:120", "full/^1200,960"},
		{"R105 caret of a smaller size", V3, "full/^500,", "full/500,400"},
		{"R105 upscaled in one dimension", V3, "full/^1050,400", "full/^1050,400"},
		{"R105 upscaled region", V3, "0,0,10,10/^20,20", "0,0,10,10/^20,20"},
		{"R38 square", V2, "square/full", "100,0,800,800/full"},
		{"R106 full", V2, "full/full", "full/full"},
		{"R106 max", V2, "full/max", "full/full"},
		{"R106 width of all", V2, "full/1000,", "full/full"},
		{"R106 both sides of all", V2, "full/1000,800", "full/full"},
		{"R106 ,h", V2, "full/,400", "full/500,"},
		{"R106 percent", V2, "full/pct:50", "full/500,"},
		{"R106 box", V2, "full/!500,500", "full/500,"},
		{"R106 both sides", V2, "full/500,400", "full/500,"},
		{"R106 distorted", V2, "full/500,200", "full/500,200"},
		{"R106 enlarged", V2, "full/2000,1600", "full/2000,"},
		{"R106 enlarged percent", V2, "full/pct:120", "full/1200,"},
		{"R106 enlarged and distorted", V2, "full/1050,400", "full/1050,400"},
		{"R107 the same height", V2, "full/333,266", "full/333,"},
		{"R107 another height", V2, "full/333,267", "full/333,267"},
		{"R107 height first", V2, "full/,1", "full/1,"},
		{"R107 width rounded", V2, "0,0,1000,10/,3", "0,0,1000,10/300,"},
		{"R107 height would differ", V2, "0,0,10,800/,333", "0,0,10,800/4,333"},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			transform := mustResolve(t, row.request+"/0/default.jpg", row.version, example, exampleLimits)
			if got, want := transform.Canonical(), row.want+"/0/default.jpg"; got != want {
				t.Errorf("%s: %s, want %s", row.request, got, want)
			}
			checkFixpoint(t, transform, row.version, exampleLimits)
		})
	}
}

func TestCanonicalUnderLimits(t *testing.T) {
	large := Image{Width: 6000, Height: 4000}
	rows := []struct {
		requirement   string
		version       Version
		img           Image
		limits        Limits
		request, want string
	}{
		{"R38 square of a square image", V2, Image{Width: 9, Height: 9}, Limits{}, "square/full", "full/full"},
		{"R104 square of a square image", V3, Image{Width: 9, Height: 9}, Limits{}, "square/max", "full/max"},
		{"R105 max reduced", V3, large, Limits{MaxWidth: 2001}, "full/max", "full/max"},
		{"R105 sides of the reduced max", V3, large, Limits{MaxWidth: 2001}, "full/2001,1334", "full/max"},
		{"R105 ^max that does not scale up", V3, large, Limits{MaxWidth: 2001}, "full/^max", "full/max"},
		{"R105 ^max without limits", V3, large, Limits{}, "full/^max", "full/max"},
		{"R106 max reduced", V2, large, Limits{MaxWidth: 2001}, "full/max", "full/2001,"},
		{"R106 max reduced to an area", V2, large, Limits{MaxArea: 4_000_000}, "full/max", "full/2449,1632"},
	}
	for _, row := range rows {
		t.Run(row.requirement, func(t *testing.T) {
			transform := mustResolve(t, row.request+"/0/default.jpg", row.version, row.img, row.limits)
			if got, want := transform.Canonical(), row.want+"/0/default.jpg"; got != want {
				t.Errorf("%s: %s, want %s", row.request, got, want)
			}
			checkFixpoint(t, transform, row.version, row.limits)
		})
	}
}

// checkFixpoint checks R110: the canonical form means the same Transform and
// is its own canonical form.
func checkFixpoint(t reporter, transform Transform, v Version, lim Limits) {
	t.Helper()
	again, err := resolve(transform.Canonical(), v, transform.Image, lim)
	if err != nil {
		t.Errorf("R110: canonical %s of %v: %v", transform.Canonical(), transform.Image, err)
		return
	}
	if again != transform {
		t.Errorf("R110: canonical %s of %v gives %+v, want %+v", transform.Canonical(), transform.Image, again, transform)
	}
}

func TestParamsString(t *testing.T) {
	rows := []struct {
		request, want string
		version       Version
	}{
		{"full/max/0/default.jpg", "full/max/0/default.jpg", V3},
		{"full/full/0/default.jpg", "full/full/0/default.jpg", V2},
		{"square/^max/360/color.png", "square/^max/0/color.png", V3},
		{"007,08,09,010/^pct:050.500/!0.0/gray.tif", "7,8,9,10/^pct:50.5/!0/gray.tif", V3},
		{"pct:.5,0.0,01,1.10/^!010,020/22.50/bitonal.webp", "pct:0.5,0,1,1.1/^!10,20/22.5/bitonal.webp", V3},
		{"full/0500,/0/default.jpg", "full/500,/0/default.jpg", V3},
		{"full/,0500/0/default.jpg", "full/,500/0/default.jpg", V3},
		{"full/%5E0500,5/0/default.jpg", "full/^500,5/0/default.jpg", V3},
	}
	for _, row := range rows {
		p, err := ParseParams(row.request, row.version)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != row.want {
			t.Errorf("%s: %s, want %s", row.request, p, row.want)
		}
		again, err := ParseParams(p.String(), row.version)
		if err != nil || again != p {
			t.Errorf("%s comes back as %s, %v", p, again, err)
		}
	}
}
