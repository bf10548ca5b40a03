// Package plan decides how an image request is carried out and what that
// will cost. It is pure: Shape holds the facts read from a source's header,
// New chooses level, access, shrink-on-load and steps, and Plan.Peak prices
// exactly what decode then executes.
package plan

// Loader names the decoder that reads a kind of source. The names are those
// of the files' usual extensions.
type Loader string

// The loaders. LoaderOther is anything libvips opens that the header readers
// do not know; it is priced high.
const (
	LoaderJPEG  Loader = "jpeg"
	LoaderPNG   Loader = "png"
	LoaderTIFF  Loader = "tiff"
	LoaderJP2   Loader = "jp2"
	LoaderWebP  Loader = "webp"
	LoaderGIF   Loader = "gif"
	LoaderAVIF  Loader = "avif"
	LoaderHEIF  Loader = "heif"
	LoaderJXL   Loader = "jxl"
	LoaderPDF   Loader = "pdf"
	LoaderSVG   Loader = "svg"
	LoaderOther Loader = "other"
)

// Colour is the colour model of the stored samples.
type Colour string

// The colour models.
const (
	ColourGray  Colour = "gray"
	ColourRGB   Colour = "rgb"
	ColourYCbCr Colour = "ycbcr"
	ColourCMYK  Colour = "cmyk"
	ColourYCCK  Colour = "ycck"
	ColourLab   Colour = "lab"
	ColourOther Colour = "other"
)

// SampleFormat tells how a sample's bits are read.
type SampleFormat string

// The sample formats.
const (
	SampleUint  SampleFormat = "uint"
	SampleInt   SampleFormat = "int"
	SampleFloat SampleFormat = "float"
)

// Level is one resolution of a source, in stored (not upright) pixels.
// Levels[0] is the full size; further ones are smaller, largest first.
type Level struct {
	Width, Height int
	// TileWidth and TileHeight are the stored tiles' sides. A strip has the
	// level's width and its rows per strip. Zero where the kind has neither.
	TileWidth, TileHeight int
	// Tiled tells tiles from strips, and a JP2 of several tiles from one of
	// a single tile.
	Tiled bool
	// Page and SubIFD address the level in a TIFF: the directory's index in
	// the main chain, counted from 0, and the index below it or -1.
	Page, SubIFD int
	// Reduction is the number of halvings a wavelet decoder applies (JP2),
	// 0 elsewhere.
	Reduction int
	// JPEGTiles tells that the level's stored tiles are JPEG with YCbCr, RGB
	// or gray 8-bit samples and can be passed on whole.
	JPEGTiles bool
}

// Shape is what a source's header says and planning needs. The zero value of
// a field means "no" or "not known"; unknown is priced high.
type Shape struct {
	Loader Loader
	// FileSize is the source's length in bytes.
	FileSize int64

	// Width and Height are the stored size in pixels of the selected page,
	// before Orientation is applied.
	Width, Height int
	// Orientation is the EXIF value 1 to 8; 1 where the source has none.
	Orientation int

	// Bands counts the samples per pixel that decoding yields, alpha
	// included: those of its colours for a palette image.
	Bands         int
	BitsPerSample int
	Sample        SampleFormat
	Colour        Colour
	Alpha         bool
	Palette       bool
	Planar        bool   // TIFF PlanarConfiguration 2
	Subsampling   string // "4:4:4", "4:2:2", "4:2:0", … ; "" if not chroma subsampled by kind
	Compression   string // TIFF: none, lzw, deflate, jpeg, packbits, ccitt, zstd, webp, jp2, lerc, other
	Progressive   bool   // progressive JPEG or interlaced PNG
	Lossless      bool   // WebP, JXL, JP2 (5/3), AVIF
	Animated      bool

	// ICCBytes is the embedded profile's length, 0 without one. SRGB tells
	// that the profile describes sRGB (or the gray equivalent), so that no
	// colour conversion is needed.
	ICCBytes int64
	SRGB     bool

	// RestartInterval is a JPEG's distance between restart markers in MCUs, 0
	// without them.
	RestartInterval int

	// Embedded counts the pixels of the pictures within a drawing (PDF, SVG)
	// that are in memory at once; EmbeddedJP2 tells that they may be JPEG 2000.
	Embedded    int64
	EmbeddedJP2 bool
	// Shapes tells that a drawing is nothing but shapes drawn one over the
	// other, without text, groups that blend, filters or masks.
	Shapes bool

	// Pages counts the selectable pages (pyramid levels and masks are not
	// pages); Page is the one this shape describes, counted from 0.
	Pages, Page int
	// Levels has at least one entry.
	Levels []Level

	// CodeBlockWidth and CodeBlockHeight, Resolutions, TileParts (of each
	// tile, 0 where the file does not say), Layers and Precincts are JPEG
	// 2000 coding facts; 0 elsewhere.
	CodeBlockWidth, CodeBlockHeight int
	Resolutions, TileParts, Layers  int
	Precincts                       bool
	// Strips counts the strips or tiles of level 0 (TIFF).
	Strips int
}

// Upright returns the size after Orientation has been applied.
func (s Shape) Upright() (width, height int) {
	if s.Orientation >= 5 && s.Orientation <= 8 {
		return s.Height, s.Width
	}
	return s.Width, s.Height
}

// Gray tells whether the source has no chroma.
func (s Shape) Gray() bool { return s.Colour == ColourGray }
