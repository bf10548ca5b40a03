package testimages

import (
	"image"
	"image/color"

	"golang.org/x/image/font/basicfont"
)

// theme is the set of a style's colours.
type theme struct {
	border        [4]color.NRGBA // top, right, bottom, left
	line          color.NRGBA    // the line inside the border
	corner        [4]color.NRGBA // in reading order
	dot           color.NRGBA
	grid, number  color.NRGBA
	rim, disc     color.NRGBA
	letter, arrow color.NRGBA
}

var (
	colourful = theme{
		border: [4]color.NRGBA{{255, 0, 0, 255}, {255, 255, 0, 255}, {0, 0, 255, 255}, {0, 255, 0, 255}},
		line:   color.NRGBA{255, 255, 255, 255},
		corner: [4]color.NRGBA{{220, 0, 0, 255}, {0, 150, 0, 255}, {0, 0, 220, 255}, {230, 170, 0, 255}},
		dot:    color.NRGBA{255, 255, 255, 255},
		grid:   color.NRGBA{240, 240, 240, 255},
		number: color.NRGBA{20, 24, 32, 255},
		rim:    color.NRGBA{250, 250, 250, 255},
		disc:   color.NRGBA{28, 34, 48, 255},
		letter: color.NRGBA{255, 255, 255, 255},
		arrow:  color.NRGBA{255, 150, 30, 255},
	}
	ink      = color.NRGBA{0, 0, 0, 255}
	blank    = color.NRGBA{255, 255, 255, 255}
	inkBlank = theme{
		border: [4]color.NRGBA{ink, ink, ink, ink},
		line:   blank,
		corner: [4]color.NRGBA{ink, ink, ink, ink},
		dot:    blank,
		grid:   ink,
		number: ink,
		rim:    ink,
		disc:   blank,
		letter: ink,
		arrow:  ink,
	}
	themes = map[Style]theme{Gradient: colourful, Flat: colourful, Paper: inkBlank}
)

// write letters a text with its top left corner at pt, each pixel of the
// 7×13 face scale×scale pixels large.
func write(p painter, pt image.Point, scale int, text string, c color.NRGBA) {
	face := basicfont.Face7x13
	for _, r := range text {
		glyph := int(r - ' ') // the face's first range begins at the space
		for y := range face.Ascent + face.Descent {
			for x := range face.Width {
				if _, _, _, a := face.Mask.At(x, glyph*(face.Ascent+face.Descent)+y).RGBA(); a == 0 {
					continue
				}
				at := image.Pt(pt.X+x*scale, pt.Y+y*scale)
				p.rect(image.Rectangle{at, at.Add(image.Pt(scale, scale))}, c)
			}
		}
		pt.X += face.Advance * scale
	}
}
