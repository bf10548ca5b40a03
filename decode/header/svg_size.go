package header

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

// svgUnits are the pixels of the absolute units (CSS Values 3, 5.2).
var svgUnits = map[string]float64{"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}

// DrawnSides returns the sides in pixels that an SVG's outermost element
// names: by width and height, else by its viewBox. A side is 0 where neither
// tells it, such as one given by a style.
func DrawnSides(r io.ReaderAt, size int64) (width, height float64) {
	d := xml.NewDecoder(io.NewSectionReader(r, 0, min(size, svgBytes)))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.RawToken()
		if err != nil {
			return 0, 0
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		var box []string
		for _, a := range root.Attr {
			switch a.Name.Local {
			case "width":
				width = svgLength(a.Value)
			case "height":
				height = svgLength(a.Value)
			case "viewBox":
				box = strings.FieldsFunc(a.Value, func(c rune) bool { return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r' })
			}
		}
		if len(box) == 4 && width == 0 {
			width = svgLength(box[2])
		}
		if len(box) == 4 && height == 0 {
			height = svgLength(box[3])
		}
		return width, height
	}
}

// svgLength reads a length of an absolute unit; 0 for any other text.
func svgLength(text string) float64 {
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz%")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n * svgUnits[text[len(number):]]
}
