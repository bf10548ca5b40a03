package header

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

const (
	// pdfDictionary is how far before its stream a dictionary is looked at.
	pdfDictionary = 2 << 10
	// pdfInflated bounds the bytes of page descriptions that are looked
	// through in one file. Pictures behind them are not priced; the process
	// that draws is refused the memory for them if they are large.
	pdfInflated = 64 << 20
	// pdfInlineKeys is more than the keys of an inline picture take.
	pdfInlineKeys = 1 << 10
)

// pdfInline returns the pixels of the largest picture within a page
// description (BI … ID … EI; ISO 32000-1, 8.9.7), plain or deflated.
func pdfInline(r io.ReaderAt, size int64) (pixels int64, err error) {
	left := int64(pdfInflated)
	buf := make([]byte, 0, pdfPiece)
	for start := int64(0); left > 0; {
		n, err := r.ReadAt(buf[len(buf):cap(buf)], start+int64(len(buf)))
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		last := errors.Is(err, io.EOF)
		fresh := len(buf)
		buf = buf[:fresh+n]
		for at := range pdfStreams(buf, max(fresh-len(pdfStream)-1, 0), last) {
			content := pdfContent(buf[max(0, at-pdfDictionary):at], io.NewSectionReader(r, start+int64(at), size-start-int64(at)))
			if content != nil {
				pixels = max(pixels, inlinePictures(content, &left))
			}
		}
		if last {
			break
		}
		kept := min(len(buf), pdfDictionary)
		start += int64(len(buf) - kept)
		buf = buf[:copy(buf, buf[len(buf)-kept:])]
	}
	return pixels, nil
}

const pdfStream = "stream"

// pdfStreams yields where the data of streams begins, of those whose keyword
// begins at from or later and is followed by its end of line in b.
func pdfStreams(b []byte, from int, last bool) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := from; ; {
			at := bytes.Index(b[i:], []byte(pdfStream))
			if at < 0 {
				return
			}
			i += at + len(pdfStream)
			if i+2 > len(b) && !last {
				return // It is found again in the next piece.
			}
			if bytes.HasSuffix(b[:i], []byte("end"+pdfStream)) {
				continue
			}
			rest := bytes.TrimPrefix(b[i:], []byte("\r"))
			if begin := len(b) - len(rest) + 1; len(rest) > 0 && rest[0] == '\n' && !yield(begin) {
				return
			}
		}
	}
}

// pdfContent returns what the stream in r holds where, by its dictionary, it
// may be a page description, else nil.
func pdfContent(before []byte, r io.Reader) io.Reader {
	dictionary := bytes.Join(bytes.Fields(before[max(bytes.LastIndex(before, []byte("obj")), 0):]), nil)
	for _, other := range []string{"/Subtype/Image", "/Type/XRef", "/Type/ObjStm", "/Length1", "/Type/Metadata"} {
		if bytes.Contains(dictionary, []byte(other)) {
			return nil
		}
	}
	if !bytes.Contains(dictionary, []byte("/Filter")) {
		return r
	}
	if !bytes.Contains(dictionary, []byte("/FlateDecode")) && !bytes.Contains(dictionary, []byte("/Fl")) {
		return nil
	}
	inflated, err := zlib.NewReader(r)
	if err != nil {
		return nil // Behind another filter, or encrypted.
	}
	return inflated
}

// inlinePictures looks through a page description, which damage or a key word
// may end, and takes what it read from left.
func inlinePictures(r io.Reader, left *int64) (pixels int64) {
	buf := make([]byte, 0, 64<<10)
	for *left > 0 {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		*left -= int64(n)
		buf = buf[:len(buf)+n]
		text, _, ended := bytes.Cut(buf, []byte("endstream"))
		for rest := text; ; {
			_, after, found := bytes.Cut(rest, []byte("BI"))
			if !found {
				break
			}
			pixels = max(pixels, inlinePicture(after[:min(len(after), pdfInlineKeys)]))
			rest = after
		}
		if err != nil || ended {
			return pixels
		}
		kept := min(len(buf), pdfInlineKeys)
		buf = buf[:copy(buf, buf[len(buf)-kept:])]
	}
	return pixels
}

// inlinePicture returns the pixels of the picture whose keys b begins with, 0
// where these are none.
func inlinePicture(b []byte) int64 {
	keys, _, found := bytes.Cut(b, []byte("ID"))
	if !found || len(keys) == 0 || bytes.IndexByte([]byte(" \t\r\n\f\x00/"), keys[0]) < 0 {
		return 0
	}
	return inlineSide(keys, "/W", "/Width") * inlineSide(keys, "/H", "/Height")
}

// inlineSide returns the number behind a key in either of its spellings.
func inlineSide(keys []byte, short, long string) (side int64) {
	for _, key := range []string{short, long} {
		for rest := keys; ; {
			_, after, found := bytes.Cut(rest, []byte(key))
			if !found {
				break
			}
			if value, digits := pdfNumber(bytes.TrimLeft(after, " \t\r\n\f\x00")); digits > 0 {
				side = max(side, value)
			}
			rest = after
		}
	}
	return side
}
