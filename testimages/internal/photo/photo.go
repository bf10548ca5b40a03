// Package photo makes pictures without end that compress as photographs do:
// noise of many sizes whose strength falls with its fineness, and grain.
package photo

import "io"

// The sides of what the picture is made of: odd, so that no tile
// of a usual side looks like its neighbours.
const (
	Width  = 1999
	Height = 1777
)

// Photo is RGB of 8 bits.
type Photo struct{ pix []byte }

// octave is noise on a lattice of the given spacing.
type octave struct{ spacing, strength int }

var (
	luma   = []octave{{512, 90}, {256, 60}, {128, 40}, {64, 26}, {32, 17}, {16, 14}, {8, 14}, {4, 14}, {2, 14}, {1, 16}}
	chroma = []octave{{512, 60}, {128, 25}, {32, 10}}
)

// New computes the picture, the same in every run.
func New() *Photo {
	p := &Photo{pix: make([]byte, Width*Height*3)}
	y, u, v := field(1, luma), field(2, chroma), field(3, chroma)
	for i := range y {
		p.pix[3*i] = clamp(128 + y[i] + v[i])
		p.pix[3*i+1] = clamp(128 + y[i] - u[i]/4 - v[i]/2)
		p.pix[3*i+2] = clamp(128 + y[i] + u[i])
	}
	return p
}

func clamp(v int32) byte { return byte(min(max(v, 0), 255)) }

// field adds the octaves up.
func field(seed uint32, octaves []octave) []int32 {
	out := make([]int32, Width*Height)
	for _, o := range octaves {
		seed += 1000
		for y := range Height {
			ly, fy := y/o.spacing, y%o.spacing
			for lx := 0; lx*o.spacing < Width; lx++ {
				a, b := lattice(seed, lx, ly), lattice(seed, lx+1, ly)
				c, d := lattice(seed, lx, ly+1), lattice(seed, lx+1, ly+1)
				left := a*(o.spacing-fy) + c*fy
				right := b*(o.spacing-fy) + d*fy
				row := out[y*Width+lx*o.spacing : y*Width+min((lx+1)*o.spacing, Width)]
				for fx := range row {
					v := (left*(o.spacing-fx) + right*fx) / (o.spacing * o.spacing)
					row[fx] += int32(v * o.strength / 256)
				}
			}
		}
	}
	return out
}

// lattice is a value from -128 to 127 that x, y and seed settle.
func lattice(seed uint32, x, y int) int {
	h := seed*0x9e3779b1 ^ uint32(x)*0x85ebca77 ^ uint32(y)*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	h ^= h >> 15
	return int(h&0xff) - 128
}

// shift is how many rows lower each repetition to the right begins: else
// deflate would find each row of a PNG in itself.
const shift = 613

// Row fills dst, three bytes per pixel, with row y from column 0 on.
func (p *Photo) Row(y int, dst []byte) {
	for len(dst) > 0 {
		y %= Height
		dst = dst[copy(dst, p.pix[y*Width*3:(y+1)*Width*3]):]
		y += shift
	}
}

// Rows returns count rows of the given width, beginning with row 0.
func (p *Photo) Rows(width, count int) []byte {
	out := make([]byte, width*3*count)
	for y := range count {
		p.Row(y, out[y*width*3:(y+1)*width*3])
	}
	return out
}

// WriteRows writes rows of the given width to w, beginning with row 0.
func (p *Photo) WriteRows(w io.Writer, width, height int) error {
	row := make([]byte, width*3)
	for y := range height {
		p.Row(y, row)
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}
