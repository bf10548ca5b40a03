package lua

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"path"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

var uuidBindings = []binding{
	{"server.uuid", "", "Returns true and a random UUID (version 4).", "same", serverUUID},
	{"server.uuid62", "", "Returns true and a random UUID in base 62.", "same", serverUUID62},
	{"server.uuid_to_base62", "uuid", "Returns true and the UUID in base 62: two groups, joined by a hyphen.", "same", serverUUIDToBase62},
	{"server.base62_to_uuid", "text", "Returns true and the UUID.", "same", serverBase62ToUUID},
}

var helperBindings = []binding{
	{"helper.filename_hash", "name", "Returns true and the path below which a file of that name is stored: its base name.", "same", helperFilenameHash},
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func newUUID() [16]byte {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0F | 0x40
	u[8] = u[8]&0x3F | 0x80
	return u
}

func formatUUID(u [16]byte) string {
	h := hex.EncodeToString(u[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func parseUUID(text string) (u [16]byte, err error) {
	bad := errors.New("not a UUID")
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return u, bad
	}
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != len(u) {
		return u, bad
	}
	return [16]byte(b), nil
}

func toBase62(u [16]byte) string {
	group := func(n uint64) string {
		digits := ""
		for n > 0 || digits == "" {
			digits = string(base62[n%62]) + digits
			n /= 62
		}
		return digits
	}
	return group(binary.BigEndian.Uint64(u[:8])) + "-" + group(binary.BigEndian.Uint64(u[8:]))
}

func fromBase62(text string) (u [16]byte, err error) {
	groups := strings.Split(text, "-")
	if len(groups) != 2 {
		return u, errors.New("not a UUID in base 62")
	}
	for i, g := range groups {
		var n uint64
		for _, d := range []byte(g) {
			v := strings.IndexByte(base62, d)
			if v < 0 || n > (math.MaxUint64-uint64(v))/62 {
				return u, errors.New("not a UUID in base 62")
			}
			n = n*62 + uint64(v)
		}
		if g == "" {
			return u, errors.New("not a UUID in base 62")
		}
		binary.BigEndian.PutUint64(u[8*i:], n)
	}
	return u, nil
}

func serverUUID(_ *call, l *glua.LState) int { return succeed(l, glua.LString(formatUUID(newUUID()))) }

func serverUUID62(_ *call, l *glua.LState) int { return succeed(l, glua.LString(toBase62(newUUID()))) }

func serverUUIDToBase62(_ *call, l *glua.LState) int {
	text, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	u, err := parseUUID(text)
	return answer(l, glua.LString(toBase62(u)), err)
}

func serverBase62ToUUID(_ *call, l *glua.LState) int {
	text, err := stringArg(l, 1)
	if err != nil {
		return failed(l, err)
	}
	u, err := fromBase62(text)
	return answer(l, glua.LString(formatUUID(u)), err)
}

func helperFilenameHash(_ *call, l *glua.LState) int {
	name, err := stringArg(l, 1)
	return answer(l, glua.LString(path.Base(name)), err)
}
