package tiffenc

// appendLZW compresses as TIFF 6.0, section 13, asks: codes of 9 to 12 bits,
// high bits first, whose width grows one code early.
func appendLZW(out, data []byte) []byte {
	const (
		clearCode = 256
		endCode   = 257
		lastCode  = 4095 // the table is cleared once entry 4094 is in it
	)
	var held uint32
	var bits, width uint = 0, 9
	emit := func(code uint32) {
		held = held<<width | code
		for bits += width; bits >= 8; bits -= 8 {
			out = append(out, byte(held>>(bits-8)))
		}
		held &= 1<<bits - 1
	}
	table := make(map[uint32]uint32, lastCode)
	next := uint32(endCode + 1)
	emit(clearCode)
	if len(data) > 0 {
		prefix := uint32(data[0])
		for _, b := range data[1:] {
			key := prefix<<8 | uint32(b)
			if code, ok := table[key]; ok {
				prefix = code
				continue
			}
			emit(prefix)
			table[key] = next
			next++
			prefix = uint32(b)
			switch next {
			case lastCode:
				emit(clearCode)
				clear(table)
				next, width = endCode+1, 9
			case 1 << width:
				width++
			}
		}
		emit(prefix)
		// The decoder adds an entry for this code too, and may widen at it.
		if next++; next == 1<<width && width < 12 {
			width++
		}
	}
	emit(endCode)
	if bits > 0 {
		out = append(out, byte(held<<(8-bits)))
	}
	return out
}
