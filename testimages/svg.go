package testimages

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
)

// SVG returns a card of style Flat as vector graphics: rectangles on whole
// pixels, so that a renderer at scale 1 shows just what Draw does.
func (c Card) SVG() []byte {
	c.Style = Flat
	p := &svgPainter{}
	fmt.Fprintf(&p.buf, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" shape-rendering="crispEdges">`, c.Width, c.Height)
	c.paint(p)
	p.end()
	p.buf.WriteString("\n</svg>\n")
	return p.buf.Bytes()
}

// svgPainter gathers rectangles of one colour that follow each other into
// one path.
type svgPainter struct {
	buf  bytes.Buffer
	ink  color.NRGBA
	open bool
}

func (p *svgPainter) rect(r image.Rectangle, c color.NRGBA) {
	if r.Empty() {
		return
	}
	if !p.open || c != p.ink {
		p.end()
		fmt.Fprintf(&p.buf, "\n"+`<path fill="#%02x%02x%02x" d="`, c.R, c.G, c.B)
		p.ink, p.open = c, true
	}
	fmt.Fprintf(&p.buf, "M%d %dh%dv%dh-%dz", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), r.Dx())
}

func (p *svgPainter) end() {
	if p.open {
		p.buf.WriteString(`"/>`)
		p.open = false
	}
}
