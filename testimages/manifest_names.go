package testimages

// nameFiles are small files whose names are hard on URLs and file systems. The
// two spellings of é also differ in their suffix, because some file systems
// take them for one.
var nameFiles = []File{
	{Name: "names/with space.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "a space"},
	{Name: "names/a+b.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "a plus sign"},
	{Name: "names/hash#tag.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "a number sign, which cuts an unescaped URL"},
	{Name: "names/per%cent.png", Kind: PNG, Width: 173, Height: 161, Bits: 8, Bands: 1, Colour: Palette, style: Flat, Lossless: true, Shows: "a percent sign that begins no escape"},
	{Name: "names/per%20cent.png", Kind: PNG, Width: 173, Height: 161, Bits: 8, Bands: 1, Colour: Palette, style: Flat, Lossless: true, Shows: "text that looks like an escape"},
	{Name: "names/semi;colon.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "a semicolon"},
	{Name: "names/a..b.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "two dots within"},
	{Name: "names/comma,and'quote&.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "comma, quote, ampersand"},
	{Name: "names/caf\u00e9-nfc.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "an e with acute as one code point (NFC)"},
	{Name: "names/cafe\u0301-nfd.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "the same letter as two code points (NFD)"},
	{Name: "names/\u65e5\u672c.tif", Kind: TIFF, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Lossless: true, Shows: "letters outside Latin"},
	{Name: "names/UPPER.JPG", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "an extension in capitals"},
	{Name: "names/sub/folder/deep.jpg", Kind: JPEG, Width: 173, Height: 161, Bits: 8, Bands: 3, Colour: YCbCr, style: Flat, Tolerance: coarse, Shows: "folders"},
	{Name: "names/no-extension", Kind: PNG, Width: 173, Height: 161, Bits: 8, Bands: 1, Colour: Palette, style: Flat, Lossless: true, Shows: "no extension (a PNG)"},
}
