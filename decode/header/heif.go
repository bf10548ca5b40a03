package header

import (
	"encoding/binary"

	"example.com/iiifd/decode/plan"
)

// heifBrands maps the brands of ISO 23008-12 and AV1 Image File Format.
var heifBrands = map[string]plan.Loader{
	"avif": plan.LoaderAVIF, "avis": plan.LoaderAVIF,
	"heic": plan.LoaderHEIF, "heix": plan.LoaderHEIF, "heim": plan.LoaderHEIF, "heis": plan.LoaderHEIF,
	"hevc": plan.LoaderHEIF, "hevx": plan.LoaderHEIF, "mif1": plan.LoaderHEIF, "msf1": plan.LoaderHEIF,
}

// heifLoader reads the brands of a file type box. AVIF among the compatible
// ones decides over a generic major brand.
func heifLoader(head []byte) plan.Loader {
	n := min(int(binary.BigEndian.Uint32(head)), len(head))
	loader := plan.Loader("")
	for at := 8; at+4 <= n; at += 4 {
		if at == 12 {
			continue // the minor version
		}
		l := heifBrands[string(head[at:at+4])]
		if l == plan.LoaderAVIF {
			return l
		}
		if loader == "" {
			loader = l
		}
	}
	return loader
}

// readHEIF reads the meta box. The decoder (libheif) applies the item's own
// rotation, mirroring and cropping, so the shape has the size after them and
// no orientation.
func readHEIF(in *input, s *plan.Shape, page int) error {
	m := heifMeta{in: in, items: make(map[uint32]*heifItem, 8)}
	found := false
	err := in.boxes(span{len: in.size}, func(b box) (bool, error) {
		if b.kind != "meta" {
			return false, nil
		}
		found = true
		if b.body.len < 4 {
			return true, in.corrupt("an empty meta box")
		}
		return true, in.boxes(b.body.after(4), func(b box) (bool, error) { return false, m.take(b) })
	})
	if err != nil {
		return err
	}
	if !found {
		return in.corrupt("no meta box")
	}
	pages := m.pages()
	s.Pages = max(1, len(pages))
	item := m.primary
	if page >= 0 {
		if page >= len(pages) {
			return ErrNoPage
		}
		item = pages[page]
	}
	for i, id := range pages {
		if id == item {
			s.Page = i
		}
	}
	return m.describe(s, item)
}

// heifItem is one image item.
type heifItem struct {
	kind       string
	hidden     bool
	subsidiary bool     // a thumbnail, an alpha plane, a part of a grid
	tiles      []uint32 // of a derived image
	properties []uint16 // indices into heifMeta.properties, counted from 1
}

// heifMeta is the part of a meta box that is kept.
type heifMeta struct {
	in         *input
	primary    uint32
	order      []uint32 // the items as listed
	items      map[uint32]*heifItem
	properties []box
	alphaOf    [][2]uint32 // alpha plane or other auxiliary, its image
}

// maxHEIFItems bounds the items and properties of one file; a grid of
// 65,535 pixels in tiles of 512 has 16,384.
const maxHEIFItems = 1 << 15

func (m *heifMeta) take(b box) error {
	switch b.kind {
	case "pitm":
		h, err := m.in.within(b.body, 0, 6)
		if err != nil {
			return err
		}
		m.primary = uint32(binary.BigEndian.Uint16(h[4:]))
		if h[0] != 0 {
			if h, err = m.in.within(b.body, 4, 4); err != nil {
				return err
			}
			m.primary = binary.BigEndian.Uint32(h)
		}
	case "iinf":
		h, err := m.in.within(b.body, 0, 6)
		if err != nil {
			return err
		}
		skip := int64(6)
		if h[0] != 0 {
			skip = 8
		}
		return m.in.boxes(b.body.after(skip), func(b box) (bool, error) { return false, m.takeInfo(b) })
	case "iref":
		return m.takeReferences(b.body)
	case "iprp":
		return m.in.boxes(b.body, func(b box) (bool, error) {
			switch b.kind {
			case "ipco":
				return false, m.in.boxes(b.body, func(b box) (bool, error) {
					if len(m.properties) >= maxHEIFItems {
						return true, m.in.corrupt("too many properties")
					}
					m.properties = append(m.properties, b)
					return false, nil
				})
			case "ipma":
				return false, m.takeAssociations(b.body)
			}
			return false, nil
		})
	}
	return nil
}

func (m *heifMeta) item(id uint32) *heifItem {
	it := m.items[id]
	if it == nil {
		it = &heifItem{}
		if len(m.items) < maxHEIFItems {
			m.items[id] = it
		}
	}
	return it
}

func (m *heifMeta) takeInfo(b box) error {
	h, err := m.in.within(b.body, 0, 4)
	if err != nil {
		return err
	}
	version, hidden := h[0], h[3]&1 != 0
	if version < 2 {
		return nil
	}
	idLen := int64(2)
	if version > 2 {
		idLen = 4
	}
	f, err := m.in.within(b.body, 4, int(idLen)+6)
	if err != nil {
		return err
	}
	id := uint32(binary.BigEndian.Uint16(f))
	if version > 2 {
		id = binary.BigEndian.Uint32(f)
	}
	it := m.item(id)
	it.kind, it.hidden = string(f[idLen+2:]), hidden
	m.order = append(m.order, id)
	return nil
}

// pages are libheif's top-level images: image items that are neither hidden
// nor part of another.
func (m *heifMeta) pages() []uint32 {
	var pages []uint32
	for _, id := range m.order {
		it := m.items[id]
		if it == nil || it.hidden || it.subsidiary {
			continue
		}
		switch it.kind {
		case "av01", "hvc1", "grid", "iden", "iovl", "jpeg", "avc1", "vvc1", "j2k1", "unci":
			pages = append(pages, id)
		}
	}
	return pages
}
