package iiif

import (
	"math"
	"testing"
)

func TestPixelBound(t *testing.T) {
	const unknown = -1
	rows := []struct {
		request string
		version Version
		want    int64
	}{
		{"full/500,400/0", V3, 200_000},
		{"full/^5000,4000/0", V3, 20_000_000},
		{"full/500,400/90", V3, 200_000},
		{"full/!500,400/0", V3, 200_000},
		{"full/^!500,400/0", V3, 200_000},
		{"0,0,100,100/!500,400/0", V3, 10_000},
		{"0,0,100,100/^!500,400/0", V3, 200_000},
		{"0,0,1024,1024/256,256/0", V3, 65_536},
		{"0,0,1024,2048/256,/0", V2, 256 * 2048},
		{"0,0,1024,2048/,256/0", V2, 256 * 1024},
		{"0,0,1024,512/2048,/0", V2, 2048 * 2048 * 512},
		{"0,0,1024,512/2048,100/0", V2, 2048 * 100},
		{"0,0,1024,512/100,600/0", V2, 100 * 600},
		{"0,0,100,100/!500,400/0", V2, 10_000},
		{"0,0,1024,1024/pct:200/0", V2, 4 << 20},
		{"0,0,1024,512/^2048,/0", V3, 2048 * 2048 * 512},
		{"square/256,/0", V3, 65_536},
		{"square/^,256/0", V3, 65_536},
		{"0,0,1024,1024/max/0", V3, 1 << 20},
		{"0,0,1024,1024/full/0", V2, 1 << 20},
		{"0,0,1024,1024/pct:25/0", V3, 65_536},
		{"0,0,1024,1024/^pct:200/0", V3, 4 << 20},
		{"0,0,9223372036854775806,9223372036854775806/max/0", V3, math.MaxInt64},
		{"full/^9223372036854775807,2/0", V3, math.MaxInt64},
		{"full/max/0", V3, unknown},
		{"full/full/0", V2, unknown},
		{"square/max/0", V3, unknown},
		{"full/500,/0", V3, unknown},
		{"pct:0,0,1,1/,500/0", V3, unknown},
		{"full/pct:1/0", V3, unknown},
		{"pct:0,0,1,1/max/0", V3, unknown},
		{"0,0,1,1/^max/0", V3, unknown},
	}
	for _, row := range rows {
		p, err := ParseParams(row.request+"/default.jpg", row.version)
		if err != nil {
			t.Fatal(err)
		}
		n, known := p.PixelBound()
		if known != (row.want != unknown) || known && n != row.want {
			t.Errorf("%s: %d, %t, want %d", row.request, n, known, row.want)
		}
	}
}

func TestPixelBoundCoversRotation(t *testing.T) {
	p, err := ParseParams("full/1000,10/45/default.png", V3)
	if err != nil {
		t.Fatal(err)
	}
	if n, known := p.PixelBound(); !known || n < 714*714 || n > 720*720 {
		t.Errorf("bound %d, %t of a box of 714 by 714 pixels", n, known)
	}
}
