package testimages

// lossy is the tolerance of a good lossy codec at the qualities used here.
// The one-pixel lines of the card lose much of their colour where chroma is
// halved, so that only the mean tells. coarse is for the small card, on which
// there are more lines to the area.
var (
	lossy  = Tolerance{Max: 255, Mean: 4}
	coarse = Tolerance{Max: 255, Mean: 6}
)

// wide is the tolerance for a way through a wide space in 8 bits: saturated
// colours have a channel near black, where a step is coarse.
var wide = Tolerance{Max: 12, Mean: 1}

// inks is the tolerance for CMYK without a profile: engines disagree widely
// about the colour of inks, but not about what is light and dark.
var inks = Tolerance{Max: 255, Mean: 25}

var jpegFiles = []File{
	{Name: "jpeg-420.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "baseline, chroma 4:2:0"},
	{Name: "jpeg-422.jpg", Kind: JPEG, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: coarse, Shows: "baseline, chroma 4:2:2"},
	{Name: "jpeg-444.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "baseline, chroma 4:4:4"},
	{Name: "jpeg-progressive.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "progressive, chroma 4:2:0"},
	{Name: "jpeg-gray.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Tolerance: lossy, Shows: "gray"},
	{Name: "jpeg-restart.jpg", Kind: JPEG, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: coarse, Shows: "a restart marker after every row of blocks"},
	{Name: "jpeg-cmyk.jpg", Kind: JPEG, Width: 293, Height: 211, Bits: 8, Bands: 4, Colour: CMYK, Tolerance: inks, Shows: "Adobe CMYK, inks inverted, without a profile"},
	{Name: "jpeg-ycck.jpg", Kind: JPEG, Width: 293, Height: 211, Bits: 8, Bands: 4, Colour: YCCK, Tolerance: inks, Shows: "Adobe YCCK, without a profile"},
	{Name: "jpeg-wide-gamut.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, ICC: "wide", Tolerance: lossy, Shows: "a profile of wide gamut: pale where it is ignored"},
	{Name: "jpeg-srgb.jpg", Kind: JPEG, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: YCbCr, ICC: "srgb", Tolerance: lossy, Shows: "a profile of sRGB, which asks for no conversion"},
	{Name: "jpeg-gray-profile.jpg", Kind: JPEG, Width: 293, Height: 211, Bits: 8, Bands: 1, Colour: Gray, ICC: "gray", Tolerance: lossy, Shows: "gray with a gray profile"},
	{Name: "jpeg-orientation-1.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 1, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 1: as stored"},
	{Name: "jpeg-orientation-2.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 2, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 2: stored mirrored left to right"},
	{Name: "jpeg-orientation-3.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 3, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 3: stored upside down"},
	{Name: "jpeg-orientation-4.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 4, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 4: stored mirrored top to bottom"},
	{Name: "jpeg-orientation-5.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 5, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 5: stored transposed"},
	{Name: "jpeg-orientation-6.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 6, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 6: to be turned clockwise"},
	{Name: "jpeg-orientation-7.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 7, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 7: stored transposed and turned"},
	{Name: "jpeg-orientation-8.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 8, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 8: to be turned counter-clockwise"},
}
