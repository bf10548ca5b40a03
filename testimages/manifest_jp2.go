package testimages

var jp2Files = []File{
	{Name: "jp2-tiled.jp2", Kind: JP2, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, Tile: 128, Lossless: true, Shows: "tiles of 128, lossless 5/3"},
	{Name: "jp2-untiled.jp2", Kind: JP2, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, style: Flat, Shows: "one tile, lossless 5/3"},
	{Name: "jp2-lossy.jp2", Kind: JP2, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: RGB, Tile: 512, Tolerance: lossy, Shows: "tiles of 512, lossy 9/7"},
	{Name: "jp2-lossy-untiled.jp2", Kind: JP2, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tolerance: lossy, Shows: "one tile, lossy 9/7"},
	{Name: "jp2-tile-parts.jp2", Kind: JP2, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tile: 256, Tolerance: lossy, Shows: "tiles of 256 in a part for each resolution, order RPCL, precincts"},
	{Name: "jp2-gray.jp2", Kind: JP2, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, style: Flat, Lossless: true, Shows: "one component"},
	{Name: "jp2-gray-alpha.jp2", Kind: JP2, Width: 293, Height: 211, Bits: 8, Bands: 2, Colour: Gray, Alpha: true, style: Flat, Lossless: true, Shows: "two components"},
	{Name: "jp2-rgba.jp2", Kind: JP2, Width: 293, Height: 211, Bits: 8, Bands: 4, Colour: RGB, Alpha: true, style: Flat, Lossless: true, Shows: "four components"},
	{Name: "jp2-12bit.jp2", Kind: JP2, Width: 293, Height: 211, Bits: 12, Bands: 1, Colour: Gray, style: Flat, Lossless: true, Shows: "12 bits, lossless 5/3"},
	{Name: "jp2-16bit.jp2", Kind: JP2, Width: 211, Height: 173, Bits: 16, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "16 bits, lossless 5/3"},
	{Name: "jp2-16bit-lossy.jp2", Kind: JP2, Width: 611, Height: 397, Bits: 16, Bands: 1, Colour: Gray, Tolerance: lossy, Shows: "16 bits, lossy 9/7"},
	{Name: "jp2-codestream.j2k", Kind: JP2, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "a codestream without the JP2 boxes"},
}
