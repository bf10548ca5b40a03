package header

// bits reads a stream of little-endian bits, as JPEG XL has them (ISO
// 18181-1, annex B). Past the end it yields zeros and remembers it.
type bits struct {
	data  []byte
	pos   int
	short bool
}

func (b *bits) u(n int) uint64 {
	var v uint64
	for i := range n {
		at := b.pos >> 3
		if at >= len(b.data) {
			b.short = true
			return 0
		}
		v |= uint64(b.data[at]>>(b.pos&7)&1) << i
		b.pos++
	}
	return v
}

func (b *bits) flag() bool { return b.u(1) != 0 }

// choice is one of the four distributions of a U32 field: base plus a number
// of bits.
type choice struct {
	base uint64
	bits int
}

func (b *bits) u32(c0, c1, c2, c3 choice) uint64 {
	c := [4]choice{c0, c1, c2, c3}[b.u(2)]
	return c.base + b.u(c.bits)
}

func (b *bits) enum() uint64 {
	return b.u32(choice{0, 0}, choice{1, 0}, choice{2, 4}, choice{18, 6})
}
