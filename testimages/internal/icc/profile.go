package icc

import "encoding/binary"

// tag is one element of a profile.
type tag struct {
	name string
	data []byte
}

// profile lays out header, tag table and elements (ICC.1:2001-04, clause 6).
func profile(space string, tags []tag) []byte {
	head := make([]byte, 128)
	binary.BigEndian.PutUint32(head[8:], 0x02100000) // version 2.1
	copy(head[12:], "mntr"+space+"XYZ ")
	binary.BigEndian.PutUint16(head[24:], 2026) // a fixed date: equal runs, equal files
	binary.BigEndian.PutUint16(head[26:], 1)
	binary.BigEndian.PutUint16(head[28:], 1)
	copy(head[36:], "acsp")
	illuminant := xyz(d50)[8:]
	copy(head[68:], illuminant)

	out := binary.BigEndian.AppendUint32(head, uint32(len(tags)))
	at := len(out) + 12*len(tags)
	var body []byte
	for _, t := range tags {
		out = append(out, t.name...)
		out = binary.BigEndian.AppendUint32(out, uint32(at+len(body)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(t.data)))
		body = append(body, t.data...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	out = append(out, body...)
	binary.BigEndian.PutUint32(out, uint32(len(out)))
	return out
}

func xyz(v vector) []byte {
	out := []byte("XYZ \x00\x00\x00\x00")
	for _, f := range v {
		out = fixed(out, f)
	}
	return out
}

func text(s string) []byte { return []byte("text\x00\x00\x00\x00" + s + "\x00") }

// description is a textDescriptionType with its ASCII part only.
func description(s string) []byte {
	out := []byte("desc\x00\x00\x00\x00")
	out = binary.BigEndian.AppendUint32(out, uint32(len(s)+1))
	out = append(out, s...)
	return append(out, make([]byte, 1+8+3+67)...)
}

func gammaCurve(gamma float64) []byte {
	out := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01")
	return binary.BigEndian.AppendUint16(out, uint16(gamma*256+0.5))
}

func srgbCurve() []byte {
	out := []byte("curv\x00\x00\x00\x00")
	out = binary.BigEndian.AppendUint32(out, 256)
	for v := range 256 {
		out = binary.BigEndian.AppendUint16(out, uint16(Linear(uint8(v))*65535+0.5))
	}
	return out
}
