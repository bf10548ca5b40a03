package testimages

import (
	"image"
	"slices"
	"strings"
)

// Kind is the sort of file, named as its loader.
type Kind string

// The kinds.
const (
	JPEG Kind = "jpeg"
	PNG  Kind = "png"
	TIFF Kind = "tiff"
	JP2  Kind = "jp2"
	WebP Kind = "webp"
	GIF  Kind = "gif"
	AVIF Kind = "avif"
	HEIF Kind = "heif"
	JXL  Kind = "jxl"
	PDF  Kind = "pdf"
	SVG  Kind = "svg"
)

// Colour is the model of the stored samples.
type Colour string

// The colour models.
const (
	Gray    Colour = "gray"
	RGB     Colour = "rgb"
	YCbCr   Colour = "ycbcr"
	CMYK    Colour = "cmyk"
	YCCK    Colour = "ycck"
	Lab     Colour = "lab"
	Palette Colour = "palette"
)

// File says what a sample is. Sizes are in pixels.
type File struct {
	// Name is the path below Dir, with slashes.
	Name string
	Kind Kind
	// Width and Height are those of page 0 as it is shown, upright.
	Width, Height int
	// Orientation is the EXIF value 1 to 8 the file carries, 1 also where it
	// carries none; from 5 on the stored size is Height×Width.
	Orientation int
	// Bits are those of one sample, Bands the samples per pixel with alpha.
	Bits, Bands int
	Colour      Colour
	Alpha       bool
	// Float tells that samples are floating point: linear light for RGB, else
	// the curve of sRGB, 0 to 1 both.
	Float bool
	// ICC names the embedded profile, "" without one: "wide" (BT.2020
	// primaries, gamma 2.2), "srgb", or "gray" (the curve of sRGB).
	ICC string
	// Pages counts the pages or frames; Sizes holds each page's size where
	// they differ, else it is nil.
	Pages int
	Sizes []image.Point
	// Tile is the side of the stored tiles, 0 for strips and kinds without.
	Tile int
	// Levels are the sizes of the stored resolutions of page 0, largest
	// first; nil where only the full size is stored. The levels of JPEG 2000
	// are not listed.
	Levels []image.Point
	// Lossless tells that the pixels are exactly those of the picture, once
	// scaled to 8 bits.
	Lossless bool
	// Tolerance is what a right decode may differ from Reference.
	Tolerance Tolerance
	// Readable tells that libvips 8.14 with Debian's codecs reads the file.
	Readable bool
	// Shows says in a few words what the sample is for.
	Shows string

	style      Style
	unreadable bool
}

// Stored returns the size of page 0 as stored, before Orientation.
func (f File) Stored() (width, height int) {
	if f.Orientation >= 5 {
		return f.Height, f.Width
	}
	return f.Width, f.Height
}

// Named tells that the sample is about its name, not its content.
func (f File) Named() bool { return strings.HasPrefix(f.Name, "names/") }

// PageSize returns the size of a page, counted from 0, as it is shown.
func (f File) PageSize(page int) (width, height int) {
	if f.Sizes != nil {
		return f.Sizes[page].X, f.Sizes[page].Y
	}
	return f.Width, f.Height
}

// All returns the manifest in the order of the tables: one entry for each
// sample file. The caller may change it.
func All() []File {
	all := slices.Concat(jpegFiles, pngFiles, tiffFiles, jp2Files, otherFiles, nameFiles)
	for i := range all {
		f := &all[i]
		f.Orientation = max(f.Orientation, 1)
		f.Pages = max(f.Pages, 1)
		f.Readable = !f.unreadable
	}
	return all
}

// Lookup returns the manifest's entry of a name.
func Lookup(name string) (File, bool) {
	all := All()
	i := slices.IndexFunc(all, func(f File) bool { return f.Name == name })
	if i < 0 {
		return File{}, false
	}
	return all[i], true
}
