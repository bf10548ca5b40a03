package header

import (
	"bytes"
	"errors"
	"io"
)

const (
	// pdfPiece is how much of a PDF is looked at in one go.
	pdfPiece = 256 << 10
	// pdfNear is how far width and height of a picture lie apart at most: a
	// dictionary's length.
	pdfNear = 4 << 10
	// pdfUnknown stands for a side that is written elsewhere in the file
	// ("/Width 12 0 R"): longer than that of almost any scan.
	pdfUnknown = 1 << 14
)

// pdfPictures looks for the dictionaries of pictures. They are always plain
// text: a stream, such as a picture, cannot lie within a compressed object
// stream (ISO 32000-1, 7.5.7).
func pdfPictures(r io.Reader) (pixels int64, coded bool, err error) {
	var width, height pdfSide
	buf := make([]byte, 0, pdfPiece)
	var start int64
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return 0, false, err
		}
		buf = buf[:len(buf)+n]
		coded = coded || bytes.Contains(buf, []byte("/JPXDecode"))
		pixels = max(pixels, pdfLargest(buf, start, &width, &height))
		if last {
			return pixels, coded, nil
		}
		kept := min(len(buf), pdfEntry)
		start += int64(len(buf) - kept)
		buf = buf[:copy(buf, buf[len(buf)-kept:])]
	}
}

// pdfLargest returns the pixels of the largest picture whose sides end in b,
// which begins at start in the file.
func pdfLargest(b []byte, start int64, width, height *pdfSide) (pixels int64) {
	for i := 0; ; i++ {
		at := bytes.IndexByte(b[i:], '/')
		if at < 0 {
			return pixels
		}
		i += at
		if !width.read(b[i:], "/Width", start+int64(i)) && !height.read(b[i:], "/Height", start+int64(i)) {
			continue
		}
		if apart := width.at - height.at; width.value > 0 && height.value > 0 && -pdfNear < apart && apart < pdfNear {
			pixels = max(pixels, width.value*height.value)
		}
	}
}

// pdfEntry is more than a key and its number take.
const pdfEntry = 64

// pdfSide is a side of a picture and where in the file it was read.
type pdfSide struct{ value, at int64 }

// read takes the side from b where b starts with that key and a number.
func (s *pdfSide) read(b []byte, key string, at int64) bool {
	rest, ok := bytes.CutPrefix(b, []byte(key))
	if !ok {
		return false
	}
	text := bytes.TrimLeft(rest, " \t\r\n\f\x00")
	value, digits := pdfNumber(text)
	if digits == 0 {
		return false
	}
	s.value, s.at = value, at
	if tail := bytes.Fields(text[digits:min(len(text), digits+16)]); len(tail) > 1 && tail[1][0] == 'R' {
		s.value = pdfUnknown
	}
	return true
}

// pdfNumber reads an unsigned number, saturating at maxSide.
func pdfNumber(b []byte) (value int64, digits int) {
	for digits < len(b) && '0' <= b[digits] && b[digits] <= '9' {
		value = min(value*10+int64(b[digits]-'0'), maxSide)
		digits++
	}
	return value, digits
}
