package header

import (
	"encoding/xml"
	"strings"
)

// svgShapes are the elements that librsvg draws straight onto the page, and
// those that draw nothing.
var svgShapes = map[string]bool{
	"svg": true, "g": true, "defs": true, "title": true, "desc": true,
	"path": true, "rect": true, "circle": true, "ellipse": true, "line": true, "polyline": true, "polygon": true,
	"linearGradient": true, "radialGradient": true, "stop": true,
}

// plainShape tells that an element takes no surface of its own: groups with an
// opacity, filters, masks, clip paths and blend modes do, and a style sheet
// may bring any of them.
func plainShape(t xml.StartElement) bool {
	if t.Name.Space != "" || !svgShapes[t.Name.Local] {
		return false
	}
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "style", "class", "opacity", "filter", "mask", "clip-path", "mix-blend-mode", "isolation", "enable-background":
			return false
		case "fill", "stroke":
			// An entity could stand for anything.
			if strings.HasPrefix(a.Value, "&") {
				return false
			}
		}
	}
	return true
}
