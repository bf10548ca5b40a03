package exif_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"example.com/iiifd/lua/exif"
)

// tiff is a little TIFF with Orientation 6, Model "Box", ExposureTime 1/125
// and a latitude.
func tiff(order binary.AppendByteOrder) []byte {
	entry := func(b []byte, tag, kind uint16, count, value uint32) []byte {
		b = order.AppendUint16(b, tag)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, count)
		if kind == 3 && count == 1 {
			return order.AppendUint16(order.AppendUint16(b, uint16(value)), 0)
		}
		return order.AppendUint32(b, value)
	}
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 4) // at 8
	b = entry(b, 0x110, 2, 4, 0) // patched below
	copy(b[len(b)-4:], "Box\x00")
	b = entry(b, 0x112, 3, 1, 6)
	b = entry(b, 0x8769, 4, 1, 62)
	b = entry(b, 0x8825, 4, 1, 80)
	b = order.AppendUint32(b, 0) // ends at 62
	b = order.AppendUint16(b, 1)
	b = entry(b, 0x829A, 5, 1, 98)
	b = order.AppendUint32(b, 0) // ends at 80
	b = order.AppendUint16(b, 1)
	b = entry(b, 2, 5, 3, 106)
	b = order.AppendUint32(b, 0) // ends at 98
	for _, n := range []uint32{1, 125, 47, 1, 33, 1, 301, 10} {
		b = order.AppendUint32(b, n)
	}
	return b
}

func wrapJPEG(t []byte) []byte {
	b := []byte{0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xE1}
	b = binary.BigEndian.AppendUint16(b, uint16(8+len(t)))
	return append(append(b, "Exif\x00\x00"...), append(t, 0xFF, 0xDA, 0, 2)...)
}

func wrapPNG(t []byte) []byte {
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 0)
	b = append(b, "IDAT\x00\x00\x00\x00"...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(t)))
	return append(append(append(b, "eXIf"...), t...), 0, 0, 0, 0)
}

func wrapWebP(t []byte) []byte {
	b := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8 \x01\x00\x00\x00x\x00EXIF"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[len(b)-4:], uint32(len(t)))
	return append(b, t...)
}

func wrapJP2(t []byte) []byte {
	b := []byte("\x00\x00\x00\x0CjP  \r\n\x87\n")
	b = binary.BigEndian.AppendUint32(b, uint32(8+16+len(t)))
	return append(append(b, "uuidJpgTiffExif->JP2"...), t...)
}

func TestRead(t *testing.T) {
	le, be := tiff(binary.LittleEndian), tiff(binary.BigEndian)
	for name, file := range map[string][]byte{
		"tiff le": le, "tiff be": be, "jpeg": wrapJPEG(be), "png": wrapPNG(le), "webp": wrapWebP(le), "jp2": wrapJP2(be),
	} {
		tags, err := exif.Read(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := tags.Image[exif.Names["Orientation"]].Integers; len(got) != 1 || got[0] != 6 {
			t.Errorf("%s: orientation %v", name, got)
		}
		if got := tags.Image[exif.Names["Model"]].Text; got != "Box" {
			t.Errorf("%s: model %q", name, got)
		}
		if got := tags.Image[exif.Names["ExposureTime"]].Rationals; len(got) != 1 || got[0] != (exif.Rational{Num: 1, Den: 125}) {
			t.Errorf("%s: exposure %v", name, got)
		}
		if got := tags.GPS[2].Rationals; len(got) != 3 || got[2] != (exif.Rational{Num: 301, Den: 10}) {
			t.Errorf("%s: latitude %v", name, got)
		}
	}
}

func TestNone(t *testing.T) {
	for _, file := range []string{"", "short", "a text that is long enough", "\xFF\xD8\xFF\xDA\x00\x02 and some scan data"} {
		if _, err := exif.Read(bytes.NewReader([]byte(file)), int64(len(file))); !errors.Is(err, exif.ErrNone) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	le := tiff(binary.LittleEndian)
	for _, b := range [][]byte{le, wrapJPEG(le), wrapPNG(le), wrapWebP(le), wrapJP2(le)} {
		f.Add(b)
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = exif.Read(bytes.NewReader(b), int64(len(b)))
	})
}
