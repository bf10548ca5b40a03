package tiffenc

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Repeat writes a classic little-endian file whose strips repeat downwards
// until the height is reached. The image m is the part that repeats: strips
// whose rows divide its height. Each strip is stored anew, so that the file
// is as large as one that was compressed in full; below 4 GiB.
func Repeat(w io.Writer, m Image, height int) error {
	if m.Tile > 0 || m.Planar || m.RowsPerStrip < 1 || m.Height%m.RowsPerStrip != 0 {
		return fmt.Errorf("tiffenc: %d rows do not repeat in strips of %d", m.Height, m.RowsPerStrip)
	}
	strips, err := m.chunks(binary.LittleEndian)
	if err != nil {
		return err
	}
	count := height / m.RowsPerStrip
	var last [][]byte
	if rest := height % m.RowsPerStrip; rest > 0 {
		from := count * m.RowsPerStrip % m.Height
		tail := m
		tail.Height = rest
		tail.Data = m.Data[from*m.rowBytes() : (from+rest)*m.rowBytes()]
		if last, err = tail.chunks(binary.LittleEndian); err != nil {
			return err
		}
	}
	at := 8
	var offsets, counts []int
	strip := func(i int) []byte {
		if i < count {
			return strips[i%len(strips)]
		}
		return last[i-count]
	}
	for i := range count + len(last) {
		offsets, counts = append(offsets, at), append(counts, len(strip(i)))
		at += len(strip(i)) + len(strip(i))%2
	}
	full := m
	full.Height = height
	e := &encoder{order: binary.LittleEndian, base: at}
	fields := e.fields(&full, offsets, counts, nil)
	for i := range fields {
		e.place(&fields[i])
	}
	e.align()
	directory := at + len(e.buf)
	if directory > 1<<32-1<<20 {
		return fmt.Errorf("tiffenc: %d bytes are too many for a classic TIFF", directory)
	}
	e.entries(fields)
	head := binary.LittleEndian.AppendUint32([]byte("II*\x00"), uint32(directory))
	if _, err := w.Write(head); err != nil {
		return err
	}
	for i := range offsets {
		data := strip(i)
		if len(data)%2 == 1 {
			data = append(slices.Clip(data), 0)
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	_, err = w.Write(e.buf)
	return err
}
