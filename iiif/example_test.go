package iiif_test

import (
	"fmt"

	"example.com/iiifd/iiif"
)

func ExampleParse() {
	r, err := iiif.Parse("ark:%2F12025%2F654xz321/square/%5E!600,600/360/color.jpg", iiif.V3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Identifier)
	fmt.Println(r.Params)
	_, err = iiif.Parse("page-7/full/full/0/default.jpg", iiif.V3)
	fmt.Println(err)
	// Output:
	// ark:/12025/654xz321
	// square/^!600,600/0/color.jpg
	// size: must be one of max | w, | ,h | w,h | !w,h | pct:n, each with ^ before it where it may enlarge
}

func ExampleParams_Resolve() {
	params, err := iiif.ParseParams("pct:50,50,100,100/400,/!90/color.png", iiif.V3)
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := params.Resolve(iiif.Image{Width: 1000, Height: 800}, iiif.Limits{MaxWidth: 4096})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, h := t.OutputSize()
	fmt.Println(t.Region, w, h)
	fmt.Println(t.Canonical())
	// Output:
	// 500,400,500,400 320 400
	// 500,400,500,400/400,320/!90/default.png
}
