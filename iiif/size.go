package iiif

import (
	"strconv"
	"strings"
)

// SizeKind is the form of a size parameter.
type SizeKind int

// The forms of the size parameter (Image API 3.0 and 2.1, 4.2).
const (
	SizeMax      SizeKind = iota // max
	SizeFull                     // full, 2.1 only
	SizeWidth                    // w,
	SizeHeight                   // ,h
	SizePercent                  // pct:n
	SizeExact                    // w,h
	SizeConfined                 // !w,h
)

// Size is the size parameter as asked for.
type Size struct {
	Kind SizeKind
	// Upscale tells of the leading ^ of 3.0: the result may be larger than
	// the region. 2.x has no such sign; there, every size of pixels or percent
	// but !w,h may be larger.
	Upscale bool
	// Width and Height are the numbers of SizeWidth, SizeHeight, SizeExact
	// and SizeConfined, in pixels; positive where used, else 0.
	Width, Height int
	// Percent is the positive number of SizePercent. In 3.0 without Upscale
	// it is at most 100.
	Percent Decimal
}

// String returns the parameter in its shortest spelling.
func (s Size) String() string {
	caret := ""
	if s.Upscale {
		caret = "^"
	}
	w, h := strconv.Itoa(s.Width), strconv.Itoa(s.Height)
	switch s.Kind {
	case SizeFull:
		return "full"
	case SizeWidth:
		return caret + w + ","
	case SizeHeight:
		return caret + "," + h
	case SizePercent:
		return caret + "pct:" + s.Percent.String()
	case SizeExact:
		return caret + w + "," + h
	case SizeConfined:
		return caret + "!" + w + "," + h
	default:
		return caret + "max"
	}
}

// mayEnlarge tells whether the result may be larger than the region: where ^
// allows it in 3.0, and for every size in 2.x that names one, as
// sizeAboveFull says there (Image API 2.1, 5.3). !w,h of 2.x is the best fit
// within both the box and the region.
func (s Size) mayEnlarge(v Version) bool {
	return s.Upscale || v == V2 && s.Kind != SizeConfined
}

const (
	reasonSize3 = "must be one of max | w, | ,h | w,h | !w,h | pct:n, each with ^ before it where it may enlarge"
	reasonSize2 = "must be one of full | max | w, | ,h | w,h | !w,h | pct:n"
)

func sizeInvalid(v Version) *Error {
	if v == V2 {
		return badRequest(CodeSizeInvalid, ParameterSize, reasonSize2)
	}
	return badRequest(CodeSizeInvalid, ParameterSize, reasonSize3)
}

func sizeZero() *Error {
	return badRequest(CodeSizeZero, ParameterSize, "would have a side of less than one pixel")
}

func sizeUpscales() *Error {
	return badRequest(CodeSizeUpscales, ParameterSize, "is larger than the region; ^ before the size allows that")
}

func parseSize(s string, v Version) (Size, error) {
	var size Size
	if v != V2 {
		s, size.Upscale = strings.CutPrefix(s, "^")
	}
	switch {
	case s == "max":
		return size, nil
	case s == "full" && v == V2:
		size.Kind = SizeFull
		return size, nil
	}
	if number, ok := strings.CutPrefix(s, "pct:"); ok {
		return parsePercentSize(size, number, v)
	}
	return parsePixelSize(size, s, v)
}

func parsePercentSize(size Size, number string, v Version) (Size, error) {
	size.Kind = SizePercent
	var o lexed
	if size.Percent, o = lexDecimal(number); o != lexOK {
		return Size{}, numberError(o, CodeSizeInvalid, ParameterSize, sizeInvalid(v).Reason)
	}
	if size.Percent.IsZero() {
		return Size{}, sizeZero()
	}
	if !size.mayEnlarge(v) && size.Percent.exceeds(100) {
		return Size{}, sizeUpscales()
	}
	return size, nil
}

// parsePixelSize reads "w,", ",h", "w,h" and "!w,h".
func parsePixelSize(size Size, s string, v Version) (Size, error) {
	s, confined := strings.CutPrefix(s, "!")
	width, height, comma := strings.Cut(s, ",")
	if !comma || width == "" && height == "" || confined && (width == "" || height == "") {
		return Size{}, sizeInvalid(v)
	}
	ow, oh := lexOK, lexOK
	if width != "" {
		size.Width, ow = lexInteger(width)
	}
	if height != "" {
		size.Height, oh = lexInteger(height)
	}
	if ow == lexSyntax || oh == lexSyntax {
		return Size{}, sizeInvalid(v)
	}
	if worst := max(ow, oh); worst != lexOK {
		return Size{}, numberError(worst, CodeSizeInvalid, ParameterSize, sizeInvalid(v).Reason)
	}
	if width != "" && size.Width == 0 || height != "" && size.Height == 0 {
		return Size{}, sizeZero()
	}
	switch {
	case confined:
		size.Kind = SizeConfined
	case height == "":
		size.Kind = SizeWidth
	case width == "":
		size.Kind = SizeHeight
	default:
		size.Kind = SizeExact
	}
	return size, nil
}
