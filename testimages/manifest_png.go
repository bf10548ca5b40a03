package testimages

var pngFiles = []File{
	{Name: "png-rgb.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "8 bits"},
	{Name: "png-rgba.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 4, Colour: RGB, Alpha: true, Lossless: true, Shows: "alpha: a hole and a faded band"},
	{Name: "png-gray.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Lossless: true, Shows: "gray"},
	{Name: "png-gray-alpha.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 2, Colour: Gray, Alpha: true, Lossless: true, Shows: "gray with alpha"},
	{Name: "png-palette.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, style: Flat, Lossless: true, Shows: "palette"},
	{Name: "png-palette-hole.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, Alpha: true, style: Flat, Lossless: true, Shows: "palette with one transparent colour"},
	{Name: "png-1bit.png", Kind: PNG, Width: 611, Height: 397, Bits: 1, Bands: 1, Colour: Gray, style: Paper, Lossless: true, Shows: "one bit"},
	{Name: "png-16bit.png", Kind: PNG, Width: 611, Height: 397, Bits: 16, Bands: 3, Colour: RGB, Lossless: true, Shows: "16 bits"},
	{Name: "png-16bit-gray.png", Kind: PNG, Width: 611, Height: 397, Bits: 16, Bands: 1, Colour: Gray, Lossless: true, Shows: "gray of 16 bits"},
	{Name: "png-16bit-rgba.png", Kind: PNG, Width: 611, Height: 397, Bits: 16, Bands: 4, Colour: RGB, Alpha: true, Lossless: true, Shows: "16 bits with alpha"},
	{Name: "png-interlaced.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "interlaced (Adam7)"},
	{Name: "png-wide-gamut.png", Kind: PNG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, ICC: "wide", Tolerance: wide, Shows: "a profile of wide gamut: pale where it is ignored"},
}
