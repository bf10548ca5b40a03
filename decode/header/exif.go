package header

import "encoding/binary"

// exifPrefix starts an EXIF block in JPEG, and in some WebP and PNG files.
const exifPrefix = "Exif\x00\x00"

const tagOrientation = 274

// exifOrientation returns the orientation of the first directory of an EXIF
// block (a TIFF without image), 1 where it has none or is damaged: a broken
// EXIF block does not make an image unreadable.
func exifOrientation(in *input, block span) int {
	if hasPrefix(in, block, exifPrefix) {
		block = block.after(int64(len(exifPrefix)))
	}
	head, err := in.within(block, 0, 8)
	if err != nil {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(head[:2]) {
	case "II":
	case "MM":
		order = binary.BigEndian
	default:
		return 1
	}
	off := int64(order.Uint32(head[4:]))
	count, err := in.within(block, off, 2)
	if err != nil {
		return 1
	}
	for i := range int64(order.Uint16(count)) {
		e, err := in.within(block, off+2+12*i, 12)
		if err != nil {
			return 1
		}
		if order.Uint16(e) != tagOrientation {
			continue
		}
		if v := exifInt(order, e); v >= 1 && v <= 8 {
			return v
		}
		return 1
	}
	return 1
}

// exifInt reads an entry's single value. libexif accepts other integer types
// than the SHORT of the standard (exif-entry.c, exif_entry_fix).
func exifInt(order binary.ByteOrder, entry []byte) int {
	if order.Uint32(entry[4:]) < 1 {
		return 0
	}
	switch order.Uint16(entry[2:]) {
	case typeByte, typeSByte, typeUndefined:
		return int(entry[8])
	case typeShort, typeSShort:
		return int(order.Uint16(entry[8:]))
	case typeLong, typeSLong:
		return int(min(order.Uint32(entry[8:]), 1<<30))
	}
	return 0
}

// after is the span without its first n bytes.
func (s span) after(n int64) span {
	n = min(n, s.len)
	s.off += n
	s.len -= n
	if s.mem != nil {
		s.mem = s.mem[n:]
	}
	return s
}

// hasPrefix tells whether a span starts with text.
func hasPrefix(in *input, s span, text string) bool {
	b, err := in.within(s, 0, len(text))
	return err == nil && string(b) == text
}
