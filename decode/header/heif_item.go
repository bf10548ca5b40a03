package header

import (
	"bytes"
	"encoding/binary"

	"example.com/iiifd/decode/plan"
)

// takeReferences reads an iref box (ISO 14496-12, 8.11.12).
func (m *heifMeta) takeReferences(body span) error {
	h, err := m.in.within(body, 0, 4)
	if err != nil {
		return err
	}
	idLen := 2
	if h[0] != 0 {
		idLen = 4
	}
	return m.in.boxes(body.after(4), func(b box) (bool, error) {
		from, err := m.id(b.body, 0, idLen)
		if err != nil {
			return false, err
		}
		c, err := m.in.within(b.body, int64(idLen), 2)
		if err != nil {
			return false, err
		}
		for i := range int64(binary.BigEndian.Uint16(c)) {
			to, err := m.id(b.body, int64(idLen)+2+i*int64(idLen), idLen)
			if err != nil {
				return false, err
			}
			m.refer(b.kind, from, to)
		}
		return false, nil
	})
}

func (m *heifMeta) id(s span, off int64, n int) (uint32, error) {
	b, err := m.in.within(s, off, n)
	if err != nil {
		return 0, err
	}
	if n == 2 {
		return uint32(binary.BigEndian.Uint16(b)), nil
	}
	return binary.BigEndian.Uint32(b), nil
}

func (m *heifMeta) refer(kind string, from, to uint32) {
	switch kind {
	case "thmb":
		m.item(from).subsidiary = true
	case "auxl":
		m.item(from).subsidiary = true
		if len(m.alphaOf) < maxHEIFItems {
			m.alphaOf = append(m.alphaOf, [2]uint32{from, to})
		}
	case "dimg":
		it := m.item(from)
		if len(it.tiles) < maxHEIFItems {
			it.tiles = append(it.tiles, to)
		}
	}
}

// takeAssociations reads an ipma box (ISO 14496-12, 8.11.14).
func (m *heifMeta) takeAssociations(body span) error {
	h, err := m.in.within(body, 0, 8)
	if err != nil {
		return err
	}
	idLen, indexLen := 2, 1
	if h[0] != 0 {
		idLen = 4
	}
	if h[3]&1 != 0 {
		indexLen = 2
	}
	count := binary.BigEndian.Uint32(h[4:])
	off := int64(8)
	for range count {
		id, err := m.id(body, off, idLen)
		if err != nil {
			return err
		}
		off += int64(idLen)
		n, err := m.in.within(body, off, 1)
		if err != nil {
			return err
		}
		entries := int(n[0])
		off++
		list, err := m.in.within(body, off, entries*indexLen)
		if err != nil {
			return err
		}
		it := m.item(id)
		it.properties = it.properties[:0]
		for i := range entries {
			index := uint16(list[i*indexLen] & 0x7f)
			if indexLen == 2 {
				index = binary.BigEndian.Uint16(list[2*i:]) & 0x7fff
			}
			it.properties = append(it.properties, index)
		}
		off += int64(entries * indexLen)
	}
	return nil
}

// describe fills the shape from an item's properties, in their order.
func (m *heifMeta) describe(s *plan.Shape, id uint32) error {
	it := m.items[id]
	if it == nil {
		return m.in.corrupt("no primary image")
	}
	s.Bands, s.BitsPerSample = 3, 8
	s.Colour = plan.ColourYCbCr
	if it.kind == "grid" && len(it.tiles) > 0 {
		// Depth and sampling are those of the grid's tiles.
		if err := m.apply(s, m.items[it.tiles[0]]); err != nil {
			return err
		}
		tileW, tileH := s.Width, s.Height
		if err := m.apply(s, it); err != nil {
			return err
		}
		s.Levels = []plan.Level{{
			Width: s.Width, Height: s.Height, TileWidth: tileW, TileHeight: tileH, Tiled: len(it.tiles) > 1, SubIFD: -1, Page: s.Page,
		}}
	} else if err := m.apply(s, it); err != nil {
		return err
	}
	for _, a := range m.alphaOf {
		if a[1] == id && m.isAlpha(m.items[a[0]]) {
			s.Alpha, s.Bands = true, 4
		}
	}
	return nil
}

func (m *heifMeta) apply(s *plan.Shape, it *heifItem) error {
	if it == nil {
		return m.in.corrupt("a grid without its tiles")
	}
	for _, index := range it.properties {
		if index < 1 || int(index) > len(m.properties) {
			continue
		}
		if err := m.property(s, m.properties[index-1]); err != nil {
			return err
		}
	}
	return nil
}

func (m *heifMeta) property(s *plan.Shape, b box) error {
	body := b.body
	switch b.kind {
	case "ispe":
		v, err := m.in.within(body, 4, 8)
		if err != nil {
			return err
		}
		s.Width, s.Height = int(binary.BigEndian.Uint32(v)), int(binary.BigEndian.Uint32(v[4:]))
	case "pixi":
		v, err := m.in.within(body, 4, 2)
		if err != nil {
			return err
		}
		s.BitsPerSample = max(8, int(v[1]))
	case "irot":
		v, err := m.in.within(body, 0, 1)
		if err != nil {
			return err
		}
		if v[0]&1 != 0 {
			s.Width, s.Height = s.Height, s.Width
		}
	case "clap":
		return m.crop(s, body)
	case "colr":
		return m.colour(s, body)
	case "av1C":
		return m.av1(s, body)
	case "hvcC":
		return m.hevc(s, body)
	}
	return nil
}

// crop applies a clean aperture, whose size is two fractions.
func (m *heifMeta) crop(s *plan.Shape, body span) error {
	v, err := m.in.within(body, 0, 16)
	if err != nil {
		return err
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint32(v[4*i:])) }
	if at(1) == 0 || at(3) == 0 {
		return m.in.corrupt("a clean aperture over zero")
	}
	w, h := (at(0)+at(1)/2)/at(1), (at(2)+at(3)/2)/at(3)
	s.Width, s.Height = int(min(w, int64(s.Width))), int(min(h, int64(s.Height)))
	return nil
}

func (m *heifMeta) colour(s *plan.Shape, body span) error {
	kind, err := m.in.within(body, 0, 4)
	if err != nil {
		return err
	}
	switch string(kind) {
	case "nclx":
		v, err := m.in.within(body, 4, 4)
		if err != nil {
			return err
		}
		// BT.709 primaries with the sRGB curve (ITU H.273); 2 is "not said".
		primaries, curve := binary.BigEndian.Uint16(v), binary.BigEndian.Uint16(v[2:])
		s.SRGB = s.SRGB || s.ICCBytes == 0 && primaries == 1 && curve == 13
	case "prof", "rICC":
		profile := body.after(4)
		s.ICCBytes = profile.len
		s.SRGB = describesSRGB(m.in, profile)
	}
	return nil
}

// av1 reads the AV1 codec configuration (AV1-ISOBMFF, 2.3).
func (m *heifMeta) av1(s *plan.Shape, body span) error {
	v, err := m.in.within(body, 0, 4)
	if err != nil {
		return err
	}
	f := v[2]
	switch {
	case f&0x40 != 0 && f&0x20 != 0:
		s.BitsPerSample = 12
	case f&0x40 != 0:
		s.BitsPerSample = 10
	default:
		s.BitsPerSample = 8
	}
	s.Subsampling = subsamplingName(1+int(f>>3&1), 1+int(f>>2&1))
	if f&0x10 != 0 {
		s.Colour, s.Subsampling = plan.ColourGray, ""
	}
	return nil
}

// hevc reads the HEVC codec configuration (ISO 14496-15, 8.3.3.1).
func (m *heifMeta) hevc(s *plan.Shape, body span) error {
	v, err := m.in.within(body, 0, 18)
	if err != nil {
		return err
	}
	s.BitsPerSample = 8 + int(v[17]&7)
	switch v[16] & 3 {
	case 0:
		s.Colour, s.Subsampling = plan.ColourGray, ""
	case 1:
		s.Subsampling = "4:2:0"
	case 2:
		s.Subsampling = "4:2:2"
	case 3:
		s.Subsampling = "4:4:4"
	}
	return nil
}

// isAlpha tells whether an auxiliary item is an alpha plane.
func (m *heifMeta) isAlpha(it *heifItem) bool {
	if it == nil {
		return false
	}
	for _, index := range it.properties {
		if index < 1 || int(index) > len(m.properties) {
			continue
		}
		b := m.properties[index-1]
		if b.kind != "auxC" {
			continue
		}
		v, err := m.in.upTo(b.body.off, int(min(b.body.len, 64)))
		if err != nil {
			return false
		}
		return bytes.Contains(v, []byte("alpha")) || bytes.Contains(v, []byte("hevc:2015:auxid:1"))
	}
	return false
}
