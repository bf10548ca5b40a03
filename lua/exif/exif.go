// Package exif reads EXIF tags from image files: TIFF itself, and the TIFF
// structure embedded in JPEG, PNG, WebP and JP2. It reads only what it needs
// and bounds what a file can make it read.
package exif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// ErrNone is returned for a file without EXIF data.
var ErrNone = errors.New("no exif data available")

var errDamaged = errors.New("exif data is damaged")

const (
	maxEntries    = 512
	maxValueBytes = 64 << 10
	maxSegments   = 4096
)

// Rational is a fraction.
type Rational struct{ Num, Den int64 }

// Value is a tag's value: exactly one field is set.
type Value struct {
	Text      string
	Integers  []int64
	Floats    []float64
	Rationals []Rational
}

// Tags are the tags of a file by number: those of the image and of its EXIF
// directory, and those of its GPS directory.
type Tags struct{ Image, GPS map[uint16]Value }

// Read finds and reads the tags of a file of size bytes.
func Read(r io.ReaderAt, size int64) (*Tags, error) {
	start, length, err := find(r, size)
	if err != nil {
		return nil, err
	}
	return readTIFF(io.NewSectionReader(r, start, length))
}

type reader struct {
	r     io.ReaderAt
	order binary.ByteOrder
}

func (r *reader) bytes(offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || n > maxValueBytes {
		return nil, errDamaged
	}
	b := make([]byte, n)
	if _, err := r.r.ReadAt(b, offset); err != nil {
		return nil, errDamaged
	}
	return b, nil
}

// readTIFF reads IFD0 and the directories it points to. BigTIFF is not EXIF.
func readTIFF(s io.ReaderAt) (*Tags, error) {
	r := &reader{r: s}
	head, err := r.bytes(0, 8)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("II*\x00")):
		r.order = binary.LittleEndian
	case bytes.HasPrefix(head, []byte("MM\x00*")):
		r.order = binary.BigEndian
	default:
		return nil, ErrNone
	}
	t := &Tags{Image: map[uint16]Value{}, GPS: map[uint16]Value{}}
	if err := r.directory(int64(r.order.Uint32(head[4:])), t.Image); err != nil {
		return nil, err
	}
	for tag, into := range map[uint16]map[uint16]Value{0x8769: t.Image, 0x8825: t.GPS} {
		if at := t.Image[tag].Integers; len(at) == 1 {
			if err := r.directory(at[0], into); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// directory reads the entries of one directory.
func (r *reader) directory(offset int64, into map[uint16]Value) error {
	b, err := r.bytes(offset, 2)
	if err != nil {
		return err
	}
	n := int64(r.order.Uint16(b))
	if n > maxEntries {
		return errDamaged
	}
	entries, err := r.bytes(offset+2, 12*n)
	if err != nil {
		return err
	}
	for ; len(entries) >= 12; entries = entries[12:] {
		if v, ok := r.value(entries[:12]); ok {
			into[r.order.Uint16(entries)] = v
		}
	}
	return nil
}

// kindSizes are the bytes of an element by the entry's type.
var kindSizes = map[uint16]int64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}

// value reads an entry's value; ok is false for kinds and sizes that are not
// read, such as the offsets of tiles.
func (r *reader) value(entry []byte) (v Value, ok bool) {
	kind := r.order.Uint16(entry[2:])
	count := int64(r.order.Uint32(entry[4:]))
	size := kindSizes[kind] * count
	if size == 0 || size > maxValueBytes {
		return v, false
	}
	data := entry[8:12]
	if size > 4 {
		var err error
		if data, err = r.bytes(int64(r.order.Uint32(data)), size); err != nil {
			return v, false
		}
	}
	return r.decode(kind, data[:size]), true
}
