package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// request is a request of the Image API 2.1, which all servers speak.
type request struct{ id, params string }

// workload is a sort of requests.
type workload struct {
	name string
	kind kind
	// all lists what may be asked of one image.
	all func(p photo) []string
	// pixels bounds the images that take part, 0 for all.
	pixels int
}

var workloads = []workload{
	{"256 tiles, interior", pyramid, func(p photo) []string { return tiles(p, 256, true) }, 0},
	{"256 tiles, as viewed", pyramid, func(p photo) []string { return tiles(p, 256, false) }, 0},
	{"512 tiles, as viewed", pyramid, func(p photo) []string { return tiles(p, 512, false) }, 0},
	{"thumbnail !200,200", pyramid, func(photo) []string { return sizes(200, 140) }, 0},
	{"1,024 pixels", pyramid, func(photo) []string { return sizes(1024, 100) }, 0},
	{"full, 48 megapixels", pyramid, whole, 48_000_000},
	{"info.json", pyramid, func(photo) []string { return []string{"info.json"} }, 0},
	{"512 tiles, as viewed", jp2, func(p photo) []string { return tiles(p, 512, false) }, 0},
	{"thumbnail !200,200", jp2, func(photo) []string { return sizes(200, 140) }, 48_000_000},
	{"512 tiles, as viewed", plain, func(p photo) []string { return tiles(p, 512, false) }, 48_000_000},
	{"thumbnail !200,200", plain, func(photo) []string { return sizes(200, 140) }, 48_000_000},
}

func chosen(words string) []workload {
	list := make([]workload, 0, len(workloads))
	for _, w := range workloads {
		w.name = string(w.kind) + ": " + w.name
		if words == "" || slices.ContainsFunc(strings.Split(words, ","), func(s string) bool { return strings.Contains(w.name, s) }) {
			list = append(list, w)
		}
	}
	return list
}

// tiles lists the tiles of a picture as a viewer asks for them, level by
// level; as often from each level, as the many tiles of the largest ones would
// otherwise be all there is.
func tiles(p photo, side int, interior bool) []string {
	var list []string
	for scale := 1; p.width/scale >= side; scale *= 2 {
		step := side * scale
		var level []string
		for y := 0; y < p.height; y += step {
			for x := 0; x < p.width; x += step {
				w, h := min(step, p.width-x), min(step, p.height-y)
				if interior && (w < step || h < step) {
					continue
				}
				level = append(level, fmt.Sprintf("%d,%d,%d,%d/%d,/0/default.jpg", x, y, w, h, (w+scale-1)/scale))
			}
		}
		list = append(list, level...)
	}
	return list
}

// sizes lists whole pictures in boxes from the smallest side to the largest.
func sizes(most, least int) []string {
	var list []string
	for n := most; n >= least && n > 0; n-- {
		list = append(list, fmt.Sprintf("full/!%d,%d/0/default.jpg", n, n))
		if most > 1000 && n < most-100 {
			break
		}
	}
	return list
}

func whole(photo) []string { return []string{"full/full/0/default.jpg"} }

// requests shuffles what may be asked of the workload's images; the same seed
// gives the same order.
func (w workload) requests(images []photo, seed uint64) []request {
	var list []request
	for _, p := range images {
		if p.kind != w.kind || w.pixels > 0 && p.width*p.height != w.pixels {
			continue
		}
		for _, params := range w.all(p) {
			list = append(list, request{p.id, params})
		}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
