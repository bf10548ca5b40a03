package testimages

var pngFiles = []File{
	{Name: "png-rgb.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "8 bits"},
	{Name: "png-rgba.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 4, Colour: RGB, Alpha: true, Lossless: true, Shows: "alpha: a hole and a faded band"},
	{Name: "png-gray.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Lossless: true, Shows: "gray"},
	{Name: "png-palette.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, Lossless: true, Shows: "palette", style: Flat},
	{Name: "png-16bit.png", Kind: PNG, Width: 611, Height: 397, Bits: 16, Bands: 3, Colour: RGB, Lossless: true, Shows: "16 bits"},
}
