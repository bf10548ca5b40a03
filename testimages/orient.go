package testimages

import (
	"image"
	"image/draw"
)

// Orient returns the pixels that, stored with an EXIF orientation of 1 to 8,
// show img upright. Orient by o and then by Inverse(o) is the picture again.
func Orient(img image.Image, orientation int) *image.NRGBA {
	b := img.Bounds()
	from, ok := img.(*image.NRGBA)
	if !ok {
		from = image.NewNRGBA(b)
		draw.Draw(from, b, img, b.Min, draw.Src)
	}
	w, h := b.Dx(), b.Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			ux, uy := upright(x, y, w, h, orientation)
			at := from.PixOffset(b.Min.X+ux, b.Min.Y+uy)
			copy(out.Pix[out.PixOffset(x, y):][:4], from.Pix[at:at+4])
		}
	}
	return out
}

// Inverse returns the orientation that undoes another one.
func Inverse(orientation int) int {
	switch orientation {
	case 6:
		return 8
	case 8:
		return 6
	default:
		return orientation
	}
}

// upright maps a stored pixel to its place in the upright picture (EXIF 2.3,
// tag 274: where the stored row 0 and column 0 lie in the picture).
func upright(x, y, w, h, orientation int) (ux, uy int) {
	switch orientation {
	case 2: // top, right
		return w - 1 - x, y
	case 3: // bottom, right
		return w - 1 - x, h - 1 - y
	case 4: // bottom, left
		return x, h - 1 - y
	case 5: // left, top
		return y, x
	case 6: // right, top
		return h - 1 - y, x
	case 7: // right, bottom
		return h - 1 - y, w - 1 - x
	case 8: // left, bottom
		return y, w - 1 - x
	default:
		return x, y
	}
}
