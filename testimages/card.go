package testimages

import (
	"image"
	"image/color"
	"strconv"
)

// Style is the way a Card is coloured.
type Style int

// The styles.
const (
	// Gradient has a smooth background in all three channels.
	Gradient Style = iota
	// Flat has one colour per cell: below 256 colours in all, so that
	// palette images hold it exactly, and nothing but rectangles, so that
	// SVG can say it.
	Flat
	// Paper is black ink on white, for 1-bit images.
	Paper
)

// Card describes a test card: numbered cells, a border of one pixel whose
// four sides differ in colour (top red, right yellow, bottom blue, left
// green), inside it a line of one pixel in white, four corner marks that
// differ in colour and number of dots, a letter F, an arrow that points up,
// a wedge of gray steps and two patches of one-pixel lines. All is drawn in
// integer arithmetic: the same on every machine.
type Card struct {
	// Width and Height are the size in pixels, at least 160 each.
	Width, Height int
	Style         Style
	// Page changes the colours and is written on the card, counted from 0.
	Page int
}

// Draw returns the card as opaque pixels.
func (c Card) Draw() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, c.Width, c.Height))
	for y := range c.Height {
		for x := range c.Width {
			img.SetNRGBA(x, y, c.background(x, y))
		}
	}
	c.paint(raster{img})
	return img
}

// background is the smooth field of the Gradient style, white for Paper.
func (c Card) background(x, y int) color.NRGBA {
	if c.Style == Paper {
		return color.NRGBA{255, 255, 255, 255}
	}
	r := uint8(48 + 184*x/(c.Width-1))
	g := uint8(80 + 120*y/(c.Height-1))
	b := uint8(216 - 160*x/(c.Width-1))
	switch c.Page % 3 {
	case 1:
		r, g, b = g, b, r
	case 2:
		r, g, b = b, r, g
	}
	return color.NRGBA{r, g, b, 255}
}

// cell is the side of a numbered cell; scale is the factor of the lettering.
func (c Card) cell() (side, scale int) {
	switch {
	case c.Width >= 1000:
		return 96, 3
	case c.Width >= 500:
		return 64, 2
	default:
		return 40, 1
	}
}

// painter takes the card's drawing operations: rectangles, half-open, in
// painting order.
type painter interface {
	rect(r image.Rectangle, c color.NRGBA)
}

type raster struct{ img *image.NRGBA }

func (p raster) rect(r image.Rectangle, c color.NRGBA) {
	r = r.Intersect(p.img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.img.SetNRGBA(x, y, c)
		}
	}
}

func (c Card) paint(p painter) {
	th := themes[c.Style]
	c.paintCells(p, th)
	c.paintDisc(p, th)
	c.paintWedge(p)
	c.paintCorners(p, th)
	c.paintBorder(p, th)
}

func (c Card) paintCells(p painter, th theme) {
	side, scale := c.cell()
	n := 0
	for y := 0; y < c.Height; y += side {
		for x := 0; x < c.Width; x += side {
			if c.Style == Flat {
				mid := c.background(min(x+side/2, c.Width-1), min(y+side/2, c.Height-1))
				p.rect(image.Rect(x, y, min(x+side, c.Width), min(y+side, c.Height)), mid)
			}
			write(p, image.Pt(x+side/8, y+side/8), scale, strconv.Itoa(n), th.number)
			n++
		}
	}
	for y := side; y < c.Height; y += side {
		p.rect(image.Rect(0, y, c.Width, y+1), th.grid)
	}
	for x := side; x < c.Width; x += side {
		p.rect(image.Rect(x, 0, x+1, c.Height), th.grid)
	}
}

// paintDisc draws the dark disc with the letter F, the arrow and the page.
func (c Card) paintDisc(p painter, th theme) {
	mid := image.Pt(c.Width/2, c.Height/2)
	r := min(c.Width, c.Height) * 5 / 16
	disc(p, mid, r, th.rim)
	disc(p, mid, r-max(2, r/30), th.disc)
	u := r / 10
	// The F stands left of the middle, eight units high.
	left, top := mid.X-6*u, mid.Y-4*u
	p.rect(image.Rect(left, top, left+2*u, top+8*u), th.letter)
	p.rect(image.Rect(left, top, left+6*u, top+2*u), th.letter)
	p.rect(image.Rect(left, top+3*u, left+5*u, top+5*u-u/2), th.letter)
	// The arrow stands right of it and points up.
	tip := image.Pt(mid.X+4*u, mid.Y-4*u)
	for i := range 4 * u {
		half := i * 3 / 4
		p.rect(image.Rect(tip.X-half, tip.Y+i, tip.X+half+1, tip.Y+i+1), th.arrow)
	}
	p.rect(image.Rect(tip.X-u, tip.Y+4*u, tip.X+u+1, tip.Y+8*u), th.arrow)

	_, scale := c.cell()
	write(p, image.Pt(mid.X-3*u, mid.Y+5*u), scale, "P"+strconv.Itoa(c.Page+1), th.letter)
}

// paintWedge draws sixteen gray steps from 0 to 255 below the disc, and a
// patch of one-pixel lines at each of its ends. Paper gets only the lines.
func (c Card) paintWedge(p painter) {
	step := c.Width / 40
	x0, y0 := c.Width/2-8*step, c.Height-2*step-4
	if c.Style != Paper {
		for i := range 16 {
			v := uint8(17 * i)
			p.rect(image.Rect(x0+i*step, y0, x0+(i+1)*step, y0+step), color.NRGBA{v, v, v, 255})
		}
	}
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
	for i := range step {
		ink := white
		if i%2 == 0 {
			ink = black
		}
		p.rect(image.Rect(x0-2*step+i, y0, x0-2*step+i+1, y0+step), ink)
		p.rect(image.Rect(x0+17*step, y0+i, x0+18*step, y0+i+1), ink)
	}
}

// paintCorners marks the corners in reading order with one to four dots.
func (c Card) paintCorners(p painter, th theme) {
	s := min(c.Width, c.Height) / 10
	at := [4]image.Point{{2, 2}, {c.Width - 2 - s, 2}, {2, c.Height - 2 - s}, {c.Width - 2 - s, c.Height - 2 - s}}
	for i, pt := range at {
		p.rect(image.Rect(pt.X, pt.Y, pt.X+s, pt.Y+s), th.corner[i])
		dot := s / 9
		for k := range i + 1 {
			x := pt.X + dot + 2*dot*k
			p.rect(image.Rect(x, pt.Y+4*dot, x+dot, pt.Y+5*dot), th.dot)
		}
	}
}

func (c Card) paintBorder(p painter, th theme) {
	frame := image.Rect(0, 0, c.Width, c.Height)
	sides(p, frame.Inset(1), [4]color.NRGBA{th.line, th.line, th.line, th.line})
	sides(p, frame, th.border)
}

// sides draws the one-pixel lines along a rectangle's top, right, bottom and
// left; at the corners the later line wins.
func sides(p painter, r image.Rectangle, c [4]color.NRGBA) {
	p.rect(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), c[0])
	p.rect(image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y), c[1])
	p.rect(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), c[2])
	p.rect(image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y), c[3])
}

// disc fills a circle, one rectangle per row.
func disc(p painter, mid image.Point, r int, c color.NRGBA) {
	half := 0
	for dy := -r; dy <= r; dy++ {
		for half > 0 && half*half+dy*dy > r*r {
			half--
		}
		for (half+1)*(half+1)+dy*dy <= r*r {
			half++
		}
		p.rect(image.Rect(mid.X-half, mid.Y+dy, mid.X+half+1, mid.Y+dy+1), c)
	}
}
