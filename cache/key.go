package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Key names one answer.
type Key struct {
	// Object is the source's identifier as users know it, the handle for
	// purging: every answer made from one object has the same.
	Object string
	// Text is everything else that decides the bytes: the source's version,
	// the canonical request, the policy and the encoder's settings.
	Text string
}

// id is a key's digest, the name of the entry in both tiers. Two keys with
// one answer part are not expected (128 bits of SHA-256); the disk tier
// compares the whole key nevertheless, as files may be renamed by hand. The
// object part is short: a collision there purges an answer too many.
type id struct {
	object [8]byte
	answer [16]byte
}

// objectDigest is the id's part that all answers of one object share.
func objectDigest(object string) (d [8]byte) {
	binary.BigEndian.PutUint64(d[:], xxhash.Sum64String(object))
	return d
}

func (k Key) id() id {
	var space [512]byte
	b := binary.AppendUvarint(space[:0], uint64(len(k.Object)))
	b = append(b, k.Object...)
	b = append(b, k.Text...)
	sum := sha256.Sum256(b)
	i := id{object: objectDigest(k.Object)}
	copy(i.answer[:], sum[:])
	return i
}

// name is the entry's file name, fan its directory below the cache's root.
func (i id) name() string {
	return hex.EncodeToString(i.object[:]) + "-" + hex.EncodeToString(i.answer[:])
}

func (i id) fan() string { return hex.EncodeToString(i.answer[:1]) }

// parseName is the inverse of name.
func parseName(name string) (id, error) {
	var i id
	if len(name) != 49 || name[16] != '-' {
		return i, fmt.Errorf("cache: %q is not an entry's name", name)
	}
	if _, err := hex.Decode(i.object[:], []byte(name[:16])); err != nil {
		return i, fmt.Errorf("cache: %q is not an entry's name: %w", name, err)
	}
	if _, err := hex.Decode(i.answer[:], []byte(name[17:])); err != nil {
		return i, fmt.Errorf("cache: %q is not an entry's name: %w", name, err)
	}
	return i, nil
}
