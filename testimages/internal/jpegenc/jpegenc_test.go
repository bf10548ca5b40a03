package jpegenc_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"pgregory.net/rapid"

	"example.com/iiifd/testimages/internal/jpegenc"
)

// TestStandardDecoderReadsBack: at the finest quantisation a four-component
// image comes back almost as it was, whatever its size and samples.
func TestStandardDecoderReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		samples := rapid.SliceOfN(rapid.Byte(), w*h*4, w*h*4).Draw(t, "samples")
		data, err := jpegenc.Encode(w, h, samples, jpegenc.Unknown, 1)
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		cmyk, ok := img.(*image.CMYK)
		if !ok || cmyk.Rect.Size() != image.Pt(w, h) {
			t.Fatalf("decoded to %T of %v", img, img.Bounds())
		}
		for y := range h {
			for x := range w {
				for c := range 4 {
					// Adobe stores inks inverted; the decoder turns them back.
					got, want := 255-int(cmyk.Pix[cmyk.PixOffset(x, y)+c]), int(samples[(y*w+x)*4+c])
					if got-want > 4 || want-got > 4 {
						t.Fatalf("sample %d of %d,%d is %d, want %d", c, x, y, got, want)
					}
				}
			}
		}
	})
}

func TestEncodeRefusesWrongLength(t *testing.T) {
	if _, err := jpegenc.Encode(3, 3, make([]byte, 10), jpegenc.Unknown, 10); err == nil {
		t.Error("ten samples for nine pixels pass")
	}
}
