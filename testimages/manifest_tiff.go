package testimages

import "image"

var (
	// pyramid are the levels that libvips writes for the large card: halves,
	// rounded down, until one fits a tile of 256.
	pyramid      = []image.Point{{X: 1237, Y: 911}, {X: 618, Y: 455}, {X: 309, Y: 227}, {X: 154, Y: 113}}
	smallPyramid = []image.Point{{X: 611, Y: 397}, {X: 305, Y: 198}, {X: 152, Y: 99}}
	// roundedUp are halves, rounded up, as other programs write them.
	roundedUp      = []image.Point{{X: 1237, Y: 911}, {X: 619, Y: 456}, {X: 310, Y: 228}}
	smallRoundedUp = []image.Point{{X: 611, Y: 397}, {X: 306, Y: 199}, {X: 153, Y: 100}}
	// pages are the sizes of a document with pages of different sizes.
	pages = []image.Point{{X: 611, Y: 397}, {X: 397, Y: 611}, {X: 293, Y: 211}}
)

var tiffFiles = []File{
	{Name: "tiff-strip-none.tif", Kind: TIFF, Width: 211, Height: 173, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "strips of 16 rows, not compressed"},
	{Name: "tiff-strip-lzw.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "strips of 16 rows, LZW with predictor"},
	{Name: "tiff-strip-deflate.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "one strip, Deflate"},
	{Name: "tiff-strip-packbits.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, style: Flat, Lossless: true, Shows: "strips of 16 rows, PackBits"},
	{Name: "tiff-strip-jpeg.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: coarse, Shows: "strips of 16 rows, JPEG"},
	{Name: "tiff-tiled.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tile: 128, style: Flat, Lossless: true, Shows: "tiles of 128, Deflate"},
	{Name: "tiff-big-endian.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 16, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "byte order MM, 16 bits, Deflate"},
	{Name: "tiff-bigtiff.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tile: 128, style: Flat, Lossless: true, Shows: "BigTIFF, tiles of 128"},
	{Name: "tiff-bigtiff-big-endian.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "BigTIFF in byte order MM"},
	{Name: "tiff-pyramid-jpeg.tif", Kind: TIFF, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: YCbCr, Tile: 256, Levels: pyramid, Tolerance: lossy, Shows: "tiles of 256, JPEG YCbCr, levels as pages"},
	{Name: "tiff-pyramid-subifd.tif", Kind: TIFF, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: YCbCr, Tile: 256, Levels: pyramid, Tolerance: lossy, Shows: "tiles of 256, JPEG YCbCr, levels as SubIFDs"},
	{Name: "tiff-pyramid-gray.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Tile: 256, Levels: smallPyramid, Tolerance: lossy, Shows: "tiles of 256, JPEG gray, levels as pages"},
	{Name: "tiff-pyramid-deflate.tif", Kind: TIFF, Width: 1237, Height: 911, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Tile: 256, Levels: roundedUp, Lossless: true, Shows: "tiles of 256, Deflate, levels rounded up"},
	{Name: "tiff-pyramid-unmarked.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Tile: 128, Levels: smallRoundedUp, Lossless: true, Shows: "levels as pages that are not marked as reduced"},
	{Name: "tiff-1bit.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 1, Bands: 1, Colour: Gray, style: Paper, Lossless: true, Shows: "one bit, black is zero, Deflate"},
	{Name: "tiff-1bit-white-is-zero.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 1, Bands: 1, Colour: Gray, style: Paper, Lossless: true, Shows: "one bit, white is zero, PackBits"},
	{Name: "tiff-g4.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 1, Bands: 1, Colour: Gray, style: Paper, Lossless: true, Shows: "CCITT G4, white is zero"},
	{Name: "tiff-g4-black-is-zero.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 1, Bands: 1, Colour: Gray, style: Paper, Lossless: true, Shows: "CCITT G4, black is zero"},
	{Name: "tiff-gray.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Lossless: true, Shows: "gray"},
	{Name: "tiff-gray-white-is-zero.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Lossless: true, Shows: "gray, white is zero"},
	{Name: "tiff-gray-alpha.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 2, Colour: Gray, Alpha: true, Lossless: true, Shows: "gray with alpha"},
	{Name: "tiff-rgba.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 4, Colour: RGB, style: Flat, Alpha: true, Lossless: true, Shows: "alpha, not multiplied in"},
	{Name: "tiff-palette.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, style: Flat, Lossless: true, Shows: "palette"},
	{Name: "tiff-16bit.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 16, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "16 bits"},
	{Name: "tiff-16bit-gray.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 16, Bands: 1, Colour: Gray, Lossless: true, Shows: "gray of 16 bits"},
	{Name: "tiff-32bit.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 32, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "32 bits"},
	{Name: "tiff-float.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 32, Bands: 3, Colour: RGB, style: Flat, Float: true, Tolerance: Tolerance{Max: 1, Mean: 1}, Shows: "floating point, linear light"},
	{Name: "tiff-float-gray.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 32, Bands: 1, Colour: Gray, style: Flat, Float: true, Lossless: true, Shows: "floating point, gray, 0 to 1"},
	{Name: "tiff-planar.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "planes apart, strips of 64 rows"},
	{Name: "tiff-planar-tiled.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tile: 128, style: Flat, Lossless: true, unreadable: true, Shows: "planes apart, tiles of 128"},
	{Name: "tiff-cmyk.tif", Kind: TIFF, Width: 293, Height: 211, Bits: 8, Bands: 4, Colour: CMYK, style: Flat, Tolerance: inks, Shows: "CMYK without a profile"},
	{Name: "tiff-lab.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: Lab, style: Flat, Tolerance: Tolerance{Max: 40, Mean: 4}, Shows: "CIELab, white D65"},
	{Name: "tiff-wide-gamut.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, ICC: "wide", Tolerance: wide, Shows: "a profile of wide gamut: pale where it is ignored"},
	{Name: "tiff-orientation-6.tif", Kind: TIFF, Width: 611, Height: 397, Orientation: 6, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "orientation 6: to be turned clockwise"},
	{Name: "tiff-document.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Pages: 3, Sizes: pages, Lossless: true, Shows: "three pages of different sizes"},
	{Name: "tiff-document-pyramid.tif", Kind: TIFF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Pages: 3, Tile: 128, Levels: smallRoundedUp, Lossless: true, Shows: "three pages, each with levels as SubIFDs"},
}
