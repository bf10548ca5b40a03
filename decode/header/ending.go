package header

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"example.com/iiifd/decode/plan"
)

// CheckEnd tells whether a file of a kind that ends in a mark has it. Without
// the mark the file was cut off, and decoders that do not look so far would
// take it for whole. Kinds without a mark, and those whose decoders look for
// it themselves, pass. The error is a *CorruptError or what r returned.
func CheckEnd(r io.ReaderAt, size int64, loader plan.Loader) error {
	in := newInput(r, size)
	in.loader = loader
	var ends func(*input) (bool, error)
	switch loader {
	case plan.LoaderPNG:
		ends = endsPNG
	case plan.LoaderGIF:
		ends = endsGIF
	case plan.LoaderPDF:
		ends = endsPDF
	default:
		return nil
	}
	ok, err := ends(in)
	if err == nil && !ok {
		err = in.corrupt("it has no end")
	}
	return err
}

// tail returns the last n bytes, or all of a shorter file.
func (in *input) tail(n int64) ([]byte, error) {
	n = min(n, in.size)
	return in.at(in.size-n, int(n))
}

// endsPNG looks for the IEND chunk: at the end, where nearly all files have
// it, else by walking the chunks, as other data may follow the image.
func endsPNG(in *input) (bool, error) {
	const iend = "\x00\x00\x00\x00IEND\xaeB`\x82"
	b, err := in.tail(int64(len(iend)))
	if err != nil || string(b) == iend {
		return err == nil, err
	}
	for off := int64(len(pngSignature)); off+12 <= in.size; {
		h, err := in.at(off, 8)
		if err != nil {
			return unproven(err)
		}
		if string(h[4:8]) == "IEND" {
			return true, nil
		}
		off += 12 + int64(binary.BigEndian.Uint32(h))
	}
	return false, nil
}

// endsGIF looks for the trailer: at the end but for padding, else by walking
// the blocks.
func endsGIF(in *input) (bool, error) {
	b, err := in.tail(window)
	if err != nil {
		return false, err
	}
	if bytes.HasSuffix(bytes.TrimRight(b, "\x00\r\n"), []byte{gifTrailer}) {
		return true, nil
	}
	h, err := in.at(0, 13)
	if err != nil {
		return false, err
	}
	g := gifWalk{in: in, s: new(plan.Shape), off: 13 + gifTable(h[10]), limit: in.size}
	if _, err := g.frames(); err != nil {
		return unproven(err)
	}
	if g.off >= in.size {
		return false, nil
	}
	last, err := in.u8(g.off)
	return last == gifTrailer, err
}

const gifTrailer = 0x3b

// endsPDF looks for the end-of-file marker in the last 1,024 bytes, where
// readers have always looked for it (ISO 32000-1, 7.5.5 and appendix H).
func endsPDF(in *input) (bool, error) {
	b, err := in.tail(1024)
	return bytes.Contains(b, []byte("%%EOF")), err
}

// unproven lets a file pass whose end could not be reached within the bounds
// of reading headers.
func unproven(err error) (bool, error) {
	if errors.Is(err, errScattered) {
		return true, nil
	}
	return false, err
}
