package render

import (
	"example.com/iiifd/iiif"
)

// neighbours returns the requests for the tiles beside the one that job asks
// for, as viewers ask for them: right, below, left, above, at most limit of
// them. There are none where the job is no tile of the grid that info.json
// advertises.
func (r *Renderer) neighbours(job *Job, limit int) []iiif.Params {
	t := job.Plan.Transform
	cfg := r.current.Load()
	sets := iiif.NewInfo("", t.Image, []iiif.Dimensions{tileSize(job.Plan.Shape, job.Plan.Options.View)}, cfg.limits(t.Image.Width, t.Image.Height), nil).Tiles
	if len(sets) == 0 {
		return nil
	}
	at, ok := place(sets[0], t)
	if !ok {
		return nil
	}
	var out []iiif.Params
	for _, step := range [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		region, size, ok := sets[0].Tile(t.Image, at.factor, at.column+step[0], at.row+step[1])
		if !ok || len(out) == limit {
			continue
		}
		p := job.Request.Params
		p.Region = iiif.Region{Kind: iiif.RegionPixels, Pixels: region}
		p.Size = iiif.Size{Kind: iiif.SizeExact, Width: size.Width, Height: size.Height}
		out = append(out, p)
	}
	return out
}

// tilePlace is a tile's place in its grid.
type tilePlace struct{ factor, column, row int }

// place finds the tile that the transform is, if it is one.
func place(set iiif.TileSet, t iiif.Transform) (tilePlace, bool) {
	for _, factor := range set.ScaleFactors {
		at := tilePlace{factor: factor, column: t.Region.X / (set.Width * factor), row: t.Region.Y / (set.Height * factor)}
		region, size, ok := set.Tile(t.Image, factor, at.column, at.row)
		if ok && region == t.Region && size.Width == t.Width && size.Height == t.Height {
			return at, true
		}
	}
	return tilePlace{}, false
}
