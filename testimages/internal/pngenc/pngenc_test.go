package pngenc_test

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/testimages/internal/pngenc"
)

// TestStandardDecoderReadsBack: every size, depth and interlacing comes back
// exactly.
func TestStandardDecoderReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := pngenc.Image{
			Width: rapid.IntRange(1, 20).Draw(t, "width"), Height: rapid.IntRange(1, 20).Draw(t, "height"),
			Bits:       rapid.SampledFrom([]int{1, 8, 16}).Draw(t, "bits"),
			Samples:    1,
			Interlaced: rapid.Bool().Draw(t, "interlaced"),
		}
		if m.Bits > 1 {
			m.Samples = rapid.IntRange(1, 4).Draw(t, "samples")
		}
		n := m.Width * m.Height * m.Samples
		m.Data = rapid.SliceOfN(rapid.Uint16Max(1<<m.Bits-1), n, n).Draw(t, "data")
		data, err := pngenc.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for y := range m.Height {
			for x := range m.Width {
				c := color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
				s := m.Data[(y*m.Width+x)*m.Samples:][:m.Samples]
				want := wide(s, m.Bits)
				if m.Bits == 8 && want.A < 0xffff {
					// The way from 8 to 16 bits multiplies alpha in: colour is lost.
					c.R, c.G, c.B, want.R, want.G, want.B = 0, 0, 0, 0, 0, 0
				}
				if c != want {
					t.Fatalf("%d,%d is %v, want %v", x, y, c, want)
				}
			}
		}
	})
}

func wide(s []uint16, bits int) color.NRGBA64 {
	v := make([]uint16, len(s))
	for i := range s {
		v[i] = uint16(int(s[i]) * 0xffff / (1<<bits - 1))
	}
	c := color.NRGBA64{R: v[0], G: v[0], B: v[0], A: 0xffff}
	if len(v) >= 3 {
		c.G, c.B = v[1], v[2]
	}
	if len(v)%2 == 0 {
		c.A = v[len(v)-1]
	}
	return c
}
