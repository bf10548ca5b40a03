package testimages

import (
	"fmt"
	"image"
	"image/color"
)

// Reference returns the picture that page 0 of a sample must show, upright,
// in sRGB with 8 bits. It panics on a name that is not in the manifest.
func Reference(name string) image.Image { return ReferencePage(name, 0) }

// ReferencePage is Reference for a page, counted from 0.
func ReferencePage(name string, page int) image.Image {
	f, ok := Lookup(name)
	if !ok {
		panic(fmt.Sprintf("testimages: no sample %q", name))
	}
	return f.Picture(page)
}

// Picture draws the picture that a page must show, upright. Pixels that are
// wholly transparent are black.
func (f File) Picture(page int) *image.NRGBA {
	w, h := f.PageSize(page)
	img := Card{Width: w, Height: h, Style: f.style, Page: page}.Draw()
	if f.Colour == Gray {
		desaturate(img)
	}
	if f.Alpha {
		perforate(img)
		if f.Colour != Palette {
			fade(img)
		}
	}
	return img
}

// desaturate sets all channels to the luma of image/color.
func desaturate(img *image.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		c := color.NRGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}
		y := color.GrayModel.Convert(c).(color.Gray).Y
		img.Pix[i], img.Pix[i+1], img.Pix[i+2] = y, y, y
	}
}

// perforate makes a rectangle right of the upper middle wholly transparent.
func perforate(img *image.NRGBA) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := h / 4; y < h/4+h/8; y++ {
		for x := w * 3 / 4; x < w*3/4+w/8; x++ {
			img.SetNRGBA(x, y, color.NRGBA{})
		}
	}
}

// fade makes a band in the lower third that is transparent at the left and
// opaque at the right.
func fade(img *image.NRGBA) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := h * 2 / 3; y < h*2/3+h/10; y++ {
		for x := range w {
			c := img.NRGBAAt(x, y)
			c.A = uint8(255 * x / (w - 1))
			if c.A == 0 {
				c = color.NRGBA{}
			}
			img.SetNRGBA(x, y, c)
		}
	}
}
