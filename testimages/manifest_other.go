package testimages

var otherFiles = []File{
	{Name: "webp-lossy.webp", Kind: WebP, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "lossy"},
	{Name: "webp-lossless.webp", Kind: WebP, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "lossless"},
	{Name: "gif-static.gif", Kind: GIF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, Lossless: true, Shows: "one frame", style: Flat},
	{Name: "gif-animated.gif", Kind: GIF, Width: 293, Height: 211, Bits: 8, Bands: 1, Colour: Palette, Pages: 3, Lossless: true, Shows: "three frames", style: Flat},
}
