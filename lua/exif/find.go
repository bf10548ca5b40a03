package exif

import (
	"bytes"
	"encoding/binary"
	"io"
)

// find returns where a file's TIFF structure lies.
func find(r io.ReaderAt, size int64) (start, length int64, err error) {
	var head [16]byte
	n, err := r.ReadAt(head[:], 0)
	if n < 12 {
		return 0, 0, ErrNone
	}
	_ = err // a file of 12 to 15 bytes is short, which the kinds notice
	switch {
	case bytes.HasPrefix(head[:], []byte("II*\x00")), bytes.HasPrefix(head[:], []byte("MM\x00*")):
		return 0, size, nil
	case bytes.HasPrefix(head[:], []byte{0xFF, 0xD8}):
		return findJPEG(r, size)
	case bytes.HasPrefix(head[:], []byte("\x89PNG\r\n\x1a\n")):
		return findChunk(r, size, 8, pngChunk)
	case bytes.HasPrefix(head[:], []byte("RIFF")) && bytes.Equal(head[8:12], []byte("WEBP")):
		return findChunk(r, size, 12, riffChunk)
	case bytes.Equal(head[4:12], []byte("jP  \r\n\x87\n")):
		return findChunk(r, size, 0, jp2Box)
	}
	return 0, 0, ErrNone
}

// skipExif passes the "Exif\0\0" that may stand before the structure.
func skipExif(r io.ReaderAt, start, length int64) (int64, int64) {
	var b [6]byte
	if _, err := r.ReadAt(b[:], start); err == nil && string(b[:]) == "Exif\x00\x00" {
		return start + 6, length - 6
	}
	return start, length
}

func findJPEG(r io.ReaderAt, size int64) (start, length int64, err error) {
	at := int64(2)
	for range maxSegments {
		var b [10]byte
		if _, err := r.ReadAt(b[:4], at); err != nil || b[0] != 0xFF {
			break
		}
		if b[1] == 0xFF { // fill byte
			at++
			continue
		}
		if b[1] == 0xDA || b[1] == 0xD9 {
			break
		}
		n := int64(binary.BigEndian.Uint16(b[2:]))
		if n < 2 || at+2+n > size {
			break
		}
		if b[1] == 0xE1 && n > 8 {
			if _, err := r.ReadAt(b[:6], at+4); err == nil && string(b[:6]) == "Exif\x00\x00" {
				return at + 10, n - 8, nil
			}
		}
		at += 2 + n
	}
	return 0, 0, ErrNone
}

// chunk describes a piece of a file: whether it holds EXIF data, where that
// begins and ends, and where the next piece begins.
type chunk struct {
	exif             bool
	start, end, next int64
}

// findChunk walks the pieces of a file.
func findChunk(r io.ReaderAt, size, at int64, read func(io.ReaderAt, int64, int64) (chunk, bool)) (start, length int64, err error) {
	for range maxSegments {
		c, ok := read(r, at, size)
		if !ok || c.next <= at || c.end > size || c.end < c.start {
			break
		}
		if c.exif {
			start, length = skipExif(r, c.start, c.end-c.start)
			return start, length, nil
		}
		at = c.next
	}
	return 0, 0, ErrNone
}

func pngChunk(r io.ReaderAt, at, _ int64) (chunk, bool) {
	var b [8]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return chunk{}, false
	}
	end := at + 8 + int64(binary.BigEndian.Uint32(b[:]))
	return chunk{exif: string(b[4:]) == "eXIf", start: at + 8, end: end, next: end + 4}, true
}

func riffChunk(r io.ReaderAt, at, _ int64) (chunk, bool) {
	var b [8]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return chunk{}, false
	}
	n := int64(binary.LittleEndian.Uint32(b[4:]))
	return chunk{exif: string(b[:4]) == "EXIF", start: at + 8, end: at + 8 + n, next: at + 8 + n + n%2}, true
}

// jp2Box reads a box; EXIF data is in a uuid box named "JpgTiffExif->JP2".
func jp2Box(r io.ReaderAt, at, size int64) (chunk, bool) {
	var b [24]byte
	n, _ := r.ReadAt(b[:], at)
	if n < 8 {
		return chunk{}, false
	}
	length, head := int64(binary.BigEndian.Uint32(b[:])), int64(8)
	switch {
	case length == 1 && n >= 16:
		length, head = int64(binary.BigEndian.Uint64(b[8:])), 16
	case length == 0:
		length = size - at
	}
	if length < head || at+length > size || at+length < at {
		return chunk{}, false
	}
	c := chunk{start: at + head, end: at + length, next: at + length}
	if string(b[4:8]) == "uuid" && length >= head+16 {
		var id [16]byte
		if _, err := r.ReadAt(id[:], at+head); err == nil && string(id[:]) == "JpgTiffExif->JP2" {
			c.exif = true
			c.start += 16
		}
	}
	return c, true
}
