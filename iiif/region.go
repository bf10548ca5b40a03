package iiif

import (
	"strconv"
	"strings"
)

// RegionKind is the form of a region parameter.
type RegionKind int

// The forms of the region parameter (Image API 3.0 and 2.1, 4.1).
const (
	RegionFull    RegionKind = iota // full
	RegionSquare                    // square
	RegionPixels                    // x,y,w,h
	RegionPercent                   // pct:x,y,w,h
)

// Region is the region parameter as asked for.
type Region struct {
	Kind RegionKind
	// Pixels is set for RegionPixels. Its sides are positive; it may reach
	// beyond the image.
	Pixels Rect
	// Percent is x, y, width and height for RegionPercent, in percent of the
	// image's sides. The last two are positive.
	Percent [4]Decimal
}

// String returns the parameter in its shortest spelling.
func (r Region) String() string {
	switch r.Kind {
	case RegionSquare:
		return "square"
	case RegionPixels:
		return r.Pixels.String()
	case RegionPercent:
		p := r.Percent
		return "pct:" + p[0].String() + "," + p[1].String() + "," + p[2].String() + "," + p[3].String()
	default:
		return "full"
	}
}

// String returns the rectangle as a region parameter, "x,y,w,h".
func (r Rect) String() string {
	return strconv.Itoa(r.X) + "," + strconv.Itoa(r.Y) + "," + strconv.Itoa(r.Width) + "," + strconv.Itoa(r.Height)
}

const reasonRegion = "must be full, square, x,y,w,h or pct:x,y,w,h"

func parseRegion(s string) (Region, error) {
	switch s {
	case "full":
		return Region{}, nil
	case "square":
		return Region{Kind: RegionSquare}, nil
	}
	if rest, ok := strings.CutPrefix(s, "pct:"); ok {
		return parsePercentRegion(rest)
	}
	fields, ok := fourFields(s)
	if !ok {
		return Region{}, badRequest(CodeRegionInvalid, ParameterRegion, reasonRegion)
	}
	var n [4]int
	worst := lexOK
	for i, field := range fields {
		var o lexed
		if n[i], o = lexInteger(field); o == lexSyntax {
			return Region{}, badRequest(CodeRegionInvalid, ParameterRegion, reasonRegion)
		}
		worst = max(worst, o)
	}
	if worst != lexOK {
		return Region{}, numberError(worst, CodeRegionInvalid, ParameterRegion, reasonRegion)
	}
	if n[2] == 0 || n[3] == 0 {
		return Region{}, regionEmpty()
	}
	return Region{Kind: RegionPixels, Pixels: Rect{X: n[0], Y: n[1], Width: n[2], Height: n[3]}}, nil
}

func parsePercentRegion(s string) (Region, error) {
	fields, ok := fourFields(s)
	if !ok {
		return Region{}, badRequest(CodeRegionInvalid, ParameterRegion, reasonRegion)
	}
	r := Region{Kind: RegionPercent}
	worst := lexOK
	for i, field := range fields {
		var o lexed
		if r.Percent[i], o = lexDecimal(field); o == lexSyntax {
			return Region{}, badRequest(CodeRegionInvalid, ParameterRegion, reasonRegion)
		}
		worst = max(worst, o)
	}
	if worst != lexOK {
		return Region{}, numberError(worst, CodeRegionInvalid, ParameterRegion, reasonRegion)
	}
	if r.Percent[2].IsZero() || r.Percent[3].IsZero() {
		return Region{}, regionEmpty()
	}
	return r, nil
}

func fourFields(s string) ([4]string, bool) {
	if strings.Count(s, ",") != 3 {
		return [4]string{}, false
	}
	return [4]string(strings.Split(s, ",")), true
}

func regionEmpty() *Error {
	return badRequest(CodeRegionEmpty, ParameterRegion, "covers no pixel of the image")
}

// resolve returns the rectangle that r means on an image, cut at the image's
// edges (Image API 3.0, 4.1). Percentages are rounded half up one by one.
func (r Region) resolve(img Image) (Rect, error) {
	whole := Rect{Width: img.Width, Height: img.Height}
	switch r.Kind {
	case RegionSquare:
		side := min(img.Width, img.Height)
		return Rect{X: (img.Width - side) / 2, Y: (img.Height - side) / 2, Width: side, Height: side}, nil
	case RegionPixels:
		return crop(int64(r.Pixels.X), int64(r.Pixels.Y), int64(r.Pixels.Width), int64(r.Pixels.Height), img)
	case RegionPercent:
		w, h := int64(img.Width), int64(img.Height)
		return crop(r.Percent[0].percentOf(w), r.Percent[1].percentOf(h),
			r.Percent[2].percentOf(w), r.Percent[3].percentOf(h), img)
	default:
		return whole, nil
	}
}

func crop(x, y, w, h int64, img Image) (Rect, error) {
	if x >= int64(img.Width) || y >= int64(img.Height) {
		return Rect{}, badRequest(CodeRegionOutside, ParameterRegion, "lies outside of the image")
	}
	w, h = min(w, int64(img.Width)-x), min(h, int64(img.Height)-y)
	if w == 0 || h == 0 {
		return Rect{}, regionEmpty()
	}
	return Rect{X: int(x), Y: int(y), Width: int(w), Height: int(h)}, nil
}
