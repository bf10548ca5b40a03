package iiif

// Dimensions is a size in pixels.
type Dimensions struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// TileSet is a grid of tiles over an image at several scales, as info.json
// advertises it. Factor s shows the image s times smaller.
type TileSet struct {
	Width, Height int
	ScaleFactors  []int
}

// NewTileSet returns the grid of a tile size with every factor from 1 by
// powers of two up to the first that shows the image in one tile. Viewers
// take the factors' logarithms for levels, so none is left out, and even a
// tiny image has factor 1. The tile's sides must be positive.
func NewTileSet(img Image, tile Dimensions) TileSet {
	t := TileSet{Width: tile.Width, Height: tile.Height, ScaleFactors: []int{1}}
	for factor := 1; ; {
		level := LevelSize(img, factor)
		if level.Width <= tile.Width && level.Height <= tile.Height {
			return t
		}
		factor *= 2
		t.ScaleFactors = append(t.ScaleFactors, factor)
	}
}

// LevelSize returns the image's size at a scale factor, rounded up as the
// specification's tile algorithm does (Image API 3.0, implementation notes,
// "Tiles"), which is also what viewers compute.
func LevelSize(img Image, factor int) Dimensions {
	return Dimensions{Width: ceilDiv(img.Width, factor), Height: ceilDiv(img.Height, factor)}
}

// Grid returns the number of tiles at a scale factor.
func (t TileSet) Grid(img Image, factor int) (columns, rows int) {
	level := LevelSize(img, factor)
	return ceilDiv(level.Width, t.Width), ceilDiv(level.Height, t.Height)
}

// Tile returns what a viewer asks for to draw one tile: the region in
// full-size pixels and the size it wants. ok is false outside of the grid.
func (t TileSet) Tile(img Image, factor, column, row int) (region Rect, size Dimensions, ok bool) {
	columns, rows := t.Grid(img, factor)
	if column < 0 || row < 0 || column >= columns || row >= rows {
		return Rect{}, Dimensions{}, false
	}
	region.X, region.Y = column*t.Width*factor, row*t.Height*factor
	region.Width = min(t.Width*factor, img.Width-region.X)
	region.Height = min(t.Height*factor, img.Height-region.Y)
	size = Dimensions{Width: ceilDiv(region.Width, factor), Height: ceilDiv(region.Height, factor)}
	return region, size, true
}

func ceilDiv(a, b int) int { return (a-1)/b + 1 }
