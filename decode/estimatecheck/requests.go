package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// request is one thing to measure: one or more requests at once.
type request struct {
	kind, file, params string
	work               order
}

// single is a request that runs alone.
func single(f sample, params string) request {
	return request{f.kind.name, filepath.Base(f.path), params, order{{f.path, f.tiny, params}}}
}

// groupKind is the kind of a group's result.
const groupKind = "together"

// together joins the singles given into groups of two to eight that run at
// once.
func together(singles []request, seed uint64) []request {
	r := rand.New(rand.NewPCG(seed, 2))
	var groups []request
	for len(singles) > 0 {
		n := min(2+r.IntN(7), len(singles))
		g := request{kind: groupKind}
		for _, s := range singles[:n] {
			g.work = append(g.work, s.work...)
			g.file += s.file + " " + s.params + "; "
		}
		g.params = fmt.Sprintf("%d at once", n)
		groups = append(groups, g)
		singles = singles[n:]
	}
	return groups
}

// listed gives every file the requests given, or those below, or n of them,
// starting at another one for each file.
func listed(files []sample, given []string, n int) []request {
	var list []request
	for i, f := range files {
		all := given
		if len(all) == 0 {
			all = f.requests()
		}
		count := len(all)
		if n > 0 && !f.large {
			count = min(n, count)
		}
		for j := range count {
			list = append(list, single(f, all[(i*count+j)%len(all)]))
		}
	}
	return list
}

// requests are those that f gets.
func (f sample) requests() []string {
	if f.large {
		return largeRequests(f.size)
	}
	return requests(f.size)
}

// requests are what viewers and people ask for, and what costs most.
func requests(s size) []string {
	tile := func(side int, at float64) string {
		x, y := int(float64(s.width)*at)/side*side, int(float64(s.height)*at)/side*side
		return fmt.Sprintf("%d,%d,%d,%d", x, y, side, side)
	}
	return []string{
		"full/max/0/default.jpg",
		"full/!1024,1024/0/default.jpg",
		tile(512, 0.6) + "/max/0/default.jpg",
		"full/!200,200/0/default.jpg",
		tile(1024, 0.45) + "/512,/0/default.webp",
		"full/pct:50/0/default.png",
		"full/!1024,1024/90/default.jpg",
		"pct:20,30,60,60/!1500,1500/22.5/default.png",
		"full/max/180/gray.tif",
		"full/!800,800/0/default.avif",
		"full/!1200,1200/!0/bitonal.png",
		tile(256, 0.9) + "/^512,/0/default.jpg",
		"full/!1000,1000/0/default.gif",
		"full/!1500,1500/0/default.jp2",
		"full/!1000,1000/0/default.jxl",
		"full/pct:60/0/default.pdf",
		"full/max/0/default.webp",
		"full/max/0/default.png",
	}
}

// randomCells draws requests over the files.
func randomCells(files []sample, n int, seed uint64) []request {
	if len(files) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]request, 0, n)
	for range n {
		f := files[r.IntN(len(files))]
		list = append(list, single(f, randomParams(r, f.size)))
	}
	return list
}

func randomParams(r *rand.Rand, s size) string {
	region := "full"
	w, h := s.width, s.height
	if r.IntN(3) > 0 {
		w, h = 1+r.IntN(s.width), 1+r.IntN(s.height)
		if r.IntN(2) == 0 {
			w, h = min(w, 128<<r.IntN(4)), min(h, 128<<r.IntN(4))
		}
		region = fmt.Sprintf("%d,%d,%d,%d", r.IntN(s.width-w+1), r.IntN(s.height-h+1), w, h)
	}
	// Very flat or narrow pieces scaled to less than a pixel are refused.
	scale := []string{"max", "max", "pct:50", "pct:33.3", "pct:12.5", "!600,600", "!1700,1700", fmt.Sprintf("pct:%.1f", 5+95*r.Float64())}
	sizeText := scale[r.IntN(len(scale))]
	if w*10 < h || h*10 < w || min(w, h) < 30 {
		sizeText = "max"
	}
	rotation := []string{"0", "0", "0", "0", "90", "180", "270", "!0", "!90", fmt.Sprintf("%.1f", 360*r.Float64())}
	quality := []string{"default", "default", "default", "gray", "bitonal"}
	format := []string{"jpg", "jpg", "jpg", "png", "webp", "tif", "gif", "jxl", "pdf"}
	// The slowest encoders only get small pictures, for time's sake.
	if w*h < 4_000_000 {
		format = append(format, "avif", "jp2")
	}
	return fmt.Sprintf("%s/%s/%s/%s.%s", region, sizeText,
		rotation[r.IntN(len(rotation))], quality[r.IntN(len(quality))], format[r.IntN(len(format))])
}
