package testimages

import (
	"encoding/binary"

	"example.com/iiifd/testimages/internal/pngenc"
)

// Hostile returns small files made to waste a reader's time or memory, or to
// lead it in circles. A reader must be done with each soon and without much
// memory. None holds a picture but the TIFF whose directory follows itself:
// one pixel, on one page.
func Hostile() []Broken {
	return []Broken{
		{Name: "empty"},
		{Name: "text", Data: []byte("This is no image.\n")},
		{Name: "png of 60000x60000 without pixels", Data: hugePNG()},
		{Name: "tiff whose directory follows itself", Data: loopTIFF()},
		{Name: "tiff whose strip lies beyond the end", Data: farTIFF()},
		{Name: "jpeg of 65500x65500 without pixels", Data: hugeJPEG()},
		{Name: "gif of 65535x65535 without frames", Data: []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;")},
		{Name: "jp2 box longer than the file", Data: []byte("\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 \x7f\xff\xff\xffjp2h")},
	}
}

// hugePNG is a valid header with hardly any data behind it.
func hugePNG() []byte {
	data, err := pngenc.Encode(pngenc.Image{Width: 1, Height: 1, Bits: 8, Samples: 1, Data: []uint16{0}})
	if err != nil {
		panic(err) // the image is constant
	}
	return pngenc.WithSize(data, 60000, 60000)
}

func hugeJPEG() []byte {
	data := []byte{0xff, 0xd8, 0xff, 0xc0, 0, 11, 8}
	data = binary.BigEndian.AppendUint16(data, 65500)
	data = binary.BigEndian.AppendUint16(data, 65500)
	return append(data, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0xff, 0xd9)
}

// loopTIFF has one directory of a pixel that names itself as the next.
func loopTIFF() []byte { return grayTIFF(1, 1, 8, 8) }

// farTIFF has a strip of which not one byte is in the file.
func farTIFF() []byte { return grayTIFF(1000, 1000, 0x7fff0000, 0) }

// grayTIFF is a directory at 8 with one strip of 8-bit gray at an offset.
func grayTIFF(width, height, strip, next uint32) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	entries := [][2]uint32{
		{256, width}, {257, height}, {258, 8}, {259, 1}, {262, 1}, {273, strip}, {277, 1}, {278, height}, {279, width * height},
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, 4)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, e[1])
	}
	return binary.LittleEndian.AppendUint32(b, next)
}
