package jpegenc

import "math"

// cosines[k][x] is the weight of sample x in coefficient k (T.81, A.3.3).
var cosines = func() (c [8][8]float64) {
	for k := range 8 {
		scale := 0.5
		if k == 0 {
			scale = math.Sqrt(0.125)
		}
		for x := range 8 {
			c[k][x] = scale * math.Cos(float64(2*x+1)*float64(k)*math.Pi/16)
		}
	}
	return c
}()

// transformed returns the coefficients of the block at x0, y0 of component c;
// beyond the edge the last column and row are repeated.
func transformed(samples []byte, width, height, n, c, x0, y0 int) (out [64]float64) {
	var rows [8][8]float64
	for y := range 8 {
		var line [8]float64
		for x := range 8 {
			at := min(y0+y, height-1)*width + min(x0+x, width-1)
			line[x] = float64(samples[at*n+c]) - 128
		}
		for k := range 8 {
			for x := range 8 {
				rows[y][k] += cosines[k][x] * line[x]
			}
		}
	}
	for k := range 8 {
		for j := range 8 {
			for y := range 8 {
				out[j*8+k] += cosines[j][y] * rows[y][k]
			}
		}
	}
	return out
}

func round(f float64) int { return int(math.Round(f)) }
