package testimages

var jp2Files = []File{
	{Name: "jp2-tiled.jp2", Kind: JP2, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, Tile: 128, Lossless: true, Shows: "tiles of 128, lossless 5/3"},
	{Name: "jp2-untiled.jp2", Kind: JP2, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "one tile, lossless 5/3"},
	{Name: "jp2-lossy.jp2", Kind: JP2, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: RGB, Tile: 512, Tolerance: lossy, Shows: "tiles of 512, lossy 9/7"},
}
