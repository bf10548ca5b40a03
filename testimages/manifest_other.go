package testimages

var otherFiles = []File{
	{Name: "webp-lossy.webp", Kind: WebP, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "lossy"},
	{Name: "webp-lossless.webp", Kind: WebP, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "lossless"},
	{Name: "webp-alpha.webp", Kind: WebP, Width: 611, Height: 397, Bits: 8, Bands: 4, Colour: RGB, Alpha: true, Lossless: true, Shows: "lossless with alpha"},
	{Name: "webp-animated.webp", Kind: WebP, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, Pages: 3, Lossless: true, Shows: "three frames"},
	{Name: "gif-static.gif", Kind: GIF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, style: Flat, Lossless: true, Shows: "one frame"},
	{Name: "gif-animated.gif", Kind: GIF, Width: 293, Height: 211, Bits: 8, Bands: 1, Colour: Palette, Pages: 3, style: Flat, Lossless: true, Shows: "three frames"},
	{Name: "gif-hole.gif", Kind: GIF, Width: 611, Height: 397, Bits: 8, Bands: 1, Colour: Palette, Alpha: true, style: Flat, Lossless: true, Shows: "one transparent colour"},
	{Name: "avif-lossy.avif", Kind: AVIF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "chroma 4:2:0"},
	{Name: "avif-lossless.avif", Kind: AVIF, Width: 293, Height: 211, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "lossless"},
	{Name: "avif-alpha.avif", Kind: AVIF, Width: 611, Height: 397, Bits: 8, Bands: 4, Colour: YCbCr, Alpha: true, Tolerance: lossy, Shows: "chroma 4:4:4 with alpha"},
	{Name: "heif-lossy.heic", Kind: HEIF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: YCbCr, Tolerance: lossy, Shows: "HEVC, chroma 4:2:0"},
	{Name: "jxl-lossy.jxl", Kind: JXL, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Tolerance: lossy, Shows: "lossy"},
	{Name: "jxl-lossless.jxl", Kind: JXL, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, Lossless: true, Shows: "lossless"},
	{Name: "jxl-alpha.jxl", Kind: JXL, Width: 611, Height: 397, Bits: 8, Bands: 4, Colour: RGB, Alpha: true, Lossless: true, Shows: "lossless with alpha"},
	{Name: "pdf-document.pdf", Kind: PDF, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Pages: 3, Sizes: pages, Tolerance: lossy, Shows: "three pages of different sizes, one pixel per point"},
	{Name: "svg-card.svg", Kind: SVG, Width: 611, Height: 397, Bits: 8, Bands: 3, Colour: RGB, style: Flat, Tolerance: lossy, Shows: "rectangles on whole pixels"},
}
