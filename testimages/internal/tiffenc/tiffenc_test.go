package tiffenc_test

import (
	"bytes"
	"image"
	"testing"

	"golang.org/x/image/tiff"
	"pgregory.net/rapid"

	"example.com/iiifd/testimages/internal/tiffenc"
)

// TestDecoderReadsBack: what is written is read back exactly by another
// implementation, in every layout it knows.
func TestDecoderReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := tiffenc.Image{
			Width: rapid.IntRange(1, 70).Draw(t, "width"), Height: rapid.IntRange(1, 50).Draw(t, "height"),
			Bits: 8, Samples: 3, Photometric: tiffenc.RGB,
			Compression:  rapid.SampledFrom([]tiffenc.Compression{tiffenc.None, tiffenc.LZW, tiffenc.Deflate, tiffenc.PackBits}).Draw(t, "compression"),
			Tile:         rapid.SampledFrom([]int{0, 16, 32}).Draw(t, "tile"),
			RowsPerStrip: rapid.IntRange(0, 20).Draw(t, "rows"),
		}
		m.Predictor = m.Compression == tiffenc.LZW && rapid.Bool().Draw(t, "predictor")
		n := m.Width * m.Height * 3
		// Few values, so that there are runs and long codes.
		m.Data = rapid.SliceOfN(rapid.ByteRange(0, 3), n, n).Draw(t, "data")
		opt := tiffenc.Options{BigEndian: rapid.Bool().Draw(t, "big endian")}
		data, err := tiffenc.Encode(opt, m)
		if err != nil {
			t.Fatal(err)
		}
		check(t, data, m.Width, m.Height, m.Data)
	})
}

// check compares RGB of 8 bits.
func check(t interface{ Fatalf(string, ...any) }, data []byte, width, height int, want []byte) {
	img, err := tiff.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	if got := img.Bounds().Size(); got != image.Pt(width, height) {
		t.Fatalf("size %v, want %d×%d", got, width, height)
	}
	for i := 0; i < len(want); i += 3 {
		x, y := i/3%width, i/3/width
		r, g, b, _ := img.At(x, y).RGBA()
		if got := [3]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}; got != [3]byte(want[i:i+3]) {
			t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want[i:i+3])
		}
	}
}

// TestLongCodes: enough data that LZW's table fills up and is cleared.
func TestLongCodes(t *testing.T) {
	m := tiffenc.Image{Width: 300, Height: 100, Bits: 8, Samples: 3, Photometric: tiffenc.RGB, Compression: tiffenc.LZW}
	state := uint32(1)
	for range 300 * 100 * 3 {
		state = state*1664525 + 1013904223
		m.Data = append(m.Data, byte(state>>24)&0x1f)
	}
	data, err := tiffenc.Encode(tiffenc.Options{}, m)
	if err != nil {
		t.Fatal(err)
	}
	check(t, data, m.Width, m.Height, m.Data)
}

// TestRepeat: the repeated part is found over and over, the last strip short.
func TestRepeat(t *testing.T) {
	m := tiffenc.Image{
		Width: 37, Height: 24, Bits: 8, Samples: 3, Photometric: tiffenc.RGB, Compression: tiffenc.LZW,
		Predictor: true, RowsPerStrip: 8,
	}
	for i := range 37 * 24 * 3 {
		m.Data = append(m.Data, byte(i*i>>3))
	}
	for _, height := range []int{8, 24, 25, 61, 100} {
		var buf bytes.Buffer
		if err := tiffenc.Repeat(&buf, m, height); err != nil {
			t.Fatal(err)
		}
		want := bytes.Repeat(m.Data, height/24+1)[:37*3*height]
		check(t, buf.Bytes(), 37, height, want)
	}
}

func TestEncodeRefuses(t *testing.T) {
	good := tiffenc.Image{Width: 2, Height: 2, Bits: 8, Samples: 1, Compression: tiffenc.None, Data: make([]byte, 4)}
	if _, err := tiffenc.Encode(tiffenc.Options{}, good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*tiffenc.Image){
		"too few samples":     func(m *tiffenc.Image) { m.Data = m.Data[:3] },
		"unknown compression": func(m *tiffenc.Image) { m.Compression = 7 },
		"predictor of 1 bit":  func(m *tiffenc.Image) { m.Bits, m.Data, m.Predictor = 1, make([]byte, 2), true },
		"tiles of 1 bit":      func(m *tiffenc.Image) { m.Bits, m.Data, m.Tile = 1, make([]byte, 2), 16 },
	} {
		bad := good
		spoil(&bad)
		if _, err := tiffenc.Encode(tiffenc.Options{}, bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := tiffenc.Encode(tiffenc.Options{}); err == nil {
		t.Error("a file without an image: no error")
	}
}
