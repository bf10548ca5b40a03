package testimages

import "image"

// pyramid are the levels that libvips writes for the large card: halves,
// rounded down, until one fits a tile of 256.
var pyramid = []image.Point{{X: 1237, Y: 911}, {X: 618, Y: 455}, {X: 309, Y: 227}, {X: 154, Y: 113}}

var tiffFiles = []File{
	{Name: "tiff-strip-none.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "strips of 16 rows, not compressed"},
	{Name: "tiff-strip-lzw.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "strips of 16 rows, LZW with predictor"},
	{Name: "tiff-strip-deflate.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "one strip, Deflate"},
	{Name: "tiff-strip-packbits.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Lossless: true, Shows: "strips of 16 rows, PackBits", style: Flat},
	{Name: "tiff-tiled.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tile: 128, Lossless: true, Shows: "tiles of 128, Deflate"},
	{Name: "tiff-pyramid-jpeg.tif", Kind: TIFF, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: YCbCr, Tile: 256, Levels: pyramid, Tolerance: lossy, Shows: "tiles of 256, JPEG YCbCr, levels as pages"},
	{Name: "tiff-pyramid-subifd.tif", Kind: TIFF, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: YCbCr, Tile: 256, Levels: pyramid, Tolerance: lossy, Shows: "tiles of 256, JPEG YCbCr, levels as SubIFDs"},
}
