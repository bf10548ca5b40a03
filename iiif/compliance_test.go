package iiif

import "testing"

// Image API 3.0 and 2.1, compliance document: what level 2 promises.

func TestLevel2(t *testing.T) {
	rows := []struct {
		requirement string
		versions    int
		request     string
		want        string
	}{
		{"R171 R172 region full", v23, "full/500,/0/default.jpg", "500x400"},
		{"R171 R172 region by pixels", v23, "0,0,500,400/500,/0/default.jpg", "500x400"},
		{"R171 R172 region by percent", v23, "pct:0,0,50,50/500,/0/default.jpg", "500x400"},
		{"R171 region square", v23, "square/400,/0/default.jpg", "400x400"},
		{"R171 size max", v23, "full/max/0/default.jpg", "1000x800"},
		{"R172 size full", v2, "full/full/0/default.jpg", "1000x800"},
		{"R171 R172 size by width", v23, "full/500,/0/default.jpg", "500x400"},
		{"R171 R172 size by height", v23, "full/,400/0/default.jpg", "500x400"},
		{"R171 R172 size by percent", v23, "full/pct:50/0/default.jpg", "500x400"},
		{"R171 R172 size confined", v23, "full/!500,500/0/default.jpg", "500x400"},
		{"R171 R172 size by both sides", v23, "full/500,400/0/default.jpg", "500x400"},
		{"R172 distorted", v23, "full/500,100/0/default.jpg", "500x100"},
		{"R171 R172 quarter turn", v23, "full/500,/90/default.jpg", "500x400"},
		{"R171 R172 half turn", v23, "full/500,/180/default.jpg", "500x400"},
		{"R171 R172 three quarters", v23, "full/500,/270/default.jpg", "500x400"},
		{"R171 R172 color", v23, "full/500,/0/color.jpg", "500x400"},
		{"R171 R172 gray", v23, "full/500,/0/gray.jpg", "500x400"},
		{"R172 bitonal", v23, "full/500,/0/bitonal.jpg", "500x400"},
		{"R171 R172 png", v23, "full/500,/0/default.png", "500x400"},
		{"R171 optional: upscaling", v3, "full/^2000,/0/default.jpg", "2000x1600"},
		{"R172 optional: upscaling", v2, "full/2000,/0/default.jpg", "2000x1600"},
		{"R171 optional: any angle and mirror", v23, "full/500,/!1.5/default.tif", "500x400"},
	}
	for _, row := range rows {
		for _, v := range versionsOf(row.versions) {
			t.Run(row.requirement, func(t *testing.T) {
				if got := outcome(t, row.request, v, example, exampleLimits); got != row.want {
					t.Errorf("version %d, %s: %s, want %s", v, row.request, got, row.want)
				}
			})
		}
	}
}
