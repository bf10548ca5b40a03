package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// An entry's file, all numbers little endian:
//
//	magic      8 bytes
//	nonce      8 random bytes, the seed of every checksum that follows
//	lengths    3 × 4 bytes: object, text, note
//	object, text, note
//	checksum   8 bytes: XXH64 of all of the above
//	data
//	sums       8 bytes for each block of data: XXH64, seed nonce + index
//	length     8 bytes: of data
//	checksum   8 bytes: XXH64 of sums and length, seed nonce
//	magic      8 bytes
//
// A file that ends early, has a hole, or has a block of another file or of
// an older one with the same name does not pass: a torn write after a power
// failure is a miss. Sums by block let a reader check what it serves as it
// goes, without a pass over a large file for each hit.
const (
	headMagic = "iiifdC1\n"
	tailMagic = "\niiifdE1"

	headFixed = 8 + 8 + 3*4
	tailFixed = 8 + 8 + 8
	sumBytes  = 8

	// blockBytes is the unit of checksums, of writing and of memory.
	blockBytes = 64 << 10
	// headMost bounds the strings of an entry; longer keys are not stored.
	headMost = 64 << 10
)

type head struct {
	nonce uint64
	key   Key
	note  string
}

// encode returns the file's bytes before the data.
func (h head) encode() []byte {
	b := make([]byte, 0, headFixed+len(h.key.Object)+len(h.key.Text)+len(h.note)+sumBytes)
	b = append(b, headMagic...)
	b = binary.LittleEndian.AppendUint64(b, h.nonce)
	for _, s := range []string{h.key.Object, h.key.Text, h.note} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	}
	b = append(b, h.key.Object...)
	b = append(b, h.key.Text...)
	b = append(b, h.note...)
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

func (h head) tooLong() bool {
	return len(h.key.Object)+len(h.key.Text)+len(h.note) > headMost
}

// readHead reads the header of a file of size bytes; at is where data begins.
// Errors other than errDamaged are the file system's.
func readHead(r io.ReaderAt, size int64) (h head, at int64, err error) {
	first := make([]byte, min(size, 1024))
	if err := readFull(r, first, 0); err != nil {
		return h, 0, err
	}
	if len(first) < headFixed || string(first[:8]) != headMagic {
		return h, 0, fmt.Errorf("%w: header", errDamaged)
	}
	object := int64(binary.LittleEndian.Uint32(first[16:]))
	text := int64(binary.LittleEndian.Uint32(first[20:]))
	note := int64(binary.LittleEndian.Uint32(first[24:]))
	at = headFixed + object + text + note + sumBytes
	if object+text+note > headMost || at > size {
		return h, 0, fmt.Errorf("%w: header", errDamaged)
	}
	b := first
	if int64(len(b)) < at {
		b = make([]byte, at)
		if err := readFull(r, b, 0); err != nil {
			return h, 0, err
		}
	}
	b = b[:at]
	if binary.LittleEndian.Uint64(b[at-sumBytes:]) != xxhash.Sum64(b[:at-sumBytes]) {
		return h, 0, fmt.Errorf("%w: header", errDamaged)
	}
	strings := string(b[headFixed : at-sumBytes])
	h.nonce = binary.LittleEndian.Uint64(b[8:])
	h.key = Key{Object: strings[:object], Text: strings[object : object+text]}
	h.note = strings[object+text:]
	return h, at, nil
}

// appendSum appends the checksum of the block of that index.
func appendSum(sums []byte, nonce uint64, index int64, block []byte) []byte {
	return binary.LittleEndian.AppendUint64(sums, seeded(nonce+uint64(index), block))
}

func seeded(seed uint64, b []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	d.Write(b) //nolint:errcheck // a hash.Hash never fails
	return d.Sum64()
}

// encodeTail returns the file's bytes behind n bytes of data.
func encodeTail(nonce uint64, sums []byte, n int64) []byte {
	b := make([]byte, 0, len(sums)+tailFixed)
	b = append(b, sums...)
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	b = binary.LittleEndian.AppendUint64(b, seeded(nonce, b))
	return append(b, tailMagic...)
}

// layout is what a file says about itself, its data not yet checked.
type layout struct {
	head
	at   int64 // of data
	n    int64 // bytes of data
	sums []byte
}

// readLayout reads header and trailer of a file of size bytes.
func readLayout(r io.ReaderAt, size int64) (layout, error) {
	h, at, err := readHead(r, size)
	if err != nil {
		return layout{}, err
	}
	l := layout{head: h, at: at}
	var fixed [tailFixed]byte
	if size < at+tailFixed {
		return l, fmt.Errorf("%w: too short", errDamaged)
	}
	if err := readFull(r, fixed[:], size-tailFixed); err != nil {
		return l, err
	}
	l.n = int64(binary.LittleEndian.Uint64(fixed[:]))
	if string(fixed[16:]) != tailMagic || l.n <= 0 || l.n > size || at+l.n+blocks(l.n)*sumBytes+tailFixed != size {
		return l, fmt.Errorf("%w: trailer", errDamaged)
	}
	table := make([]byte, blocks(l.n)*sumBytes+8)
	if err := readFull(r, table, at+l.n); err != nil {
		return l, err
	}
	if binary.LittleEndian.Uint64(fixed[8:]) != seeded(h.nonce, table) {
		return l, fmt.Errorf("%w: trailer", errDamaged)
	}
	l.sums = table[:len(table)-8]
	return l, nil
}

// blocks is the number of blocks that n bytes fill.
func blocks(n int64) int64 { return (n + blockBytes - 1) / blockBytes }

// blockLen is the length of the block of that index.
func (l *layout) blockLen(index int64) int64 { return min(blockBytes, l.n-index*blockBytes) }

// check compares a block with its checksum.
func (l *layout) check(index int64, block []byte) error {
	if binary.LittleEndian.Uint64(l.sums[index*sumBytes:]) != seeded(l.nonce+uint64(index), block) {
		return fmt.Errorf("%w: block %d", errDamaged, index)
	}
	return nil
}

// readFull fills b from r. A file that ends early is damaged.
func readFull(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil, errors.Is(err, io.EOF):
		return fmt.Errorf("%w: it ends early", errDamaged)
	}
	return err
}
