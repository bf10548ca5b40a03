package icc

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestWhiteAndGrayStayNeutral: white, black and grays keep equal samples in
// any space with the same white.
func TestWhiteAndGrayStayNeutral(t *testing.T) {
	convert := Wide.FromSRGB()
	for v := range 256 {
		r, g, b := convert(uint8(v), uint8(v), uint8(v))
		if r != g || g != b {
			t.Errorf("gray %d becomes %d %d %d", v, r, g, b)
		}
	}
	if r, _, _ := convert(255, 255, 255); r != 255 {
		t.Errorf("white becomes %d", r)
	}
	if r, g, b := convert(255, 0, 0); r > 230 || g < 60 || b < 20 {
		t.Errorf("red of sRGB becomes %d %d %d, which is no wide space", r, g, b)
	}
}

// TestSRGBMatrix: the columns are those that IEC 61966-2-1 gives, adapted to
// D50 as in the usual sRGB profiles.
func TestSRGBMatrix(t *testing.T) {
	p := SRGB()
	if int(binary.BigEndian.Uint32(p)) != len(p) {
		t.Errorf("length field %d, length %d", binary.BigEndian.Uint32(p), len(p))
	}
	want := map[string]vector{"rXYZ": {0.4361, 0.2225, 0.0139}, "gXYZ": {0.3851, 0.7169, 0.0971}, "bXYZ": {0.1431, 0.0606, 0.7141}}
	for i := range int(binary.BigEndian.Uint32(p[128:])) {
		entry := p[132+12*i:]
		w, ok := want[string(entry[:4])]
		if !ok {
			continue
		}
		delete(want, string(entry[:4]))
		data := p[binary.BigEndian.Uint32(entry[4:]):]
		for k := range 3 {
			got := float64(int32(binary.BigEndian.Uint32(data[8+4*k:]))) / 65536
			if math.Abs(got-w[k]) > 0.0005 {
				t.Errorf("%s[%d] is %.4f, want %.4f", entry[:4], k, got, w[k])
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
