package testimages

// lossy is the tolerance of a good lossy codec at the qualities used here.
// The one-pixel lines of the card lose much of their colour where chroma is
// halved, so that only the mean tells.
var lossy = Tolerance{Max: 255, Mean: 4}

var jpegFiles = []File{
	{Name: "jpeg-420.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "baseline, chroma 4:2:0"},
	{Name: "jpeg-444.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "baseline, chroma 4:4:4"},
	{Name: "jpeg-progressive.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "progressive, chroma 4:2:0"},
	{Name: "jpeg-gray.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Gray, Tolerance: lossy, Shows: "gray"},
	{Name: "jpeg-restart.jpg", Kind: JPEG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "a restart marker after every row of blocks"},
	{Name: "jpeg-orientation-1.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 1, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 1: as stored"},
	{Name: "jpeg-orientation-2.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 2, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 2: stored mirrored"},
	{Name: "jpeg-orientation-3.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 3, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 3: stored upside down"},
	{Name: "jpeg-orientation-4.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 4, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 4: stored flipped"},
	{Name: "jpeg-orientation-5.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 5, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 5: stored transposed"},
	{Name: "jpeg-orientation-6.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 6, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 6: to be turned clockwise"},
	{Name: "jpeg-orientation-7.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 7, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 7: stored transversed"},
	{Name: "jpeg-orientation-8.jpg", Kind: JPEG, Width: 293, Height: 211, Orientation: 8, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "EXIF orientation 8: to be turned counter-clockwise"},
}
