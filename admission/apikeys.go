package admission

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	maxKeysFile = 1 << 20
	maxKeyName  = 128
)

// APIKeys are the configured API keys, by the hash of their secrets. The zero
// value has none.
type APIKeys struct {
	names  []string
	bySum  map[[sha256.Size]byte]string
	byName map[string]bool
}

// LoadAPIKeys reads a file of API keys.
func LoadAPIKeys(path string) (*APIKeys, error) {
	data, err := readBounded(path, maxKeysFile)
	if err != nil {
		return nil, err
	}
	return ParseAPIKeys(data)
}

// ParseAPIKeys reads lines of "name sha256-hex". Empty lines and lines that
// start with # are skipped. Names and hashes are unique; "anonymous" is no
// name. Errors give the line's number, never its content.
func ParseAPIKeys(data []byte) (*APIKeys, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	keys := &APIKeys{bySum: make(map[[sha256.Size]byte]string), byName: make(map[string]bool)}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxKeysFile)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := keys.add(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return keys, lines.Err()
}

func (k *APIKeys) add(fields []string) error {
	if len(fields) != 2 {
		return errors.New("needs a name and the hash of a key")
	}
	name := fields[0]
	switch {
	case len(name) > maxKeyName:
		return fmt.Errorf("the name is longer than %d bytes", maxKeyName)
	case name == Anonymous:
		return errors.New("the name is reserved")
	case k.byName[name]:
		return errors.New("the name stands twice")
	}
	var sum [sha256.Size]byte
	if raw, err := hex.DecodeString(fields[1]); err != nil || copy(sum[:], raw) != sha256.Size || len(raw) != sha256.Size {
		return errors.New("the hash is not 64 hex digits (SHA-256 of the key)")
	}
	if _, ok := k.bySum[sum]; ok {
		return errors.New("the key stands twice")
	}
	k.bySum[sum] = name
	k.byName[name] = true
	k.names = append(k.names, name)
	return nil
}

// Names returns the names in the file's order.
func (k *APIKeys) Names() []string { return k.names }

// Identify returns the name of a key. Keys are looked up by their hash, so
// the time taken tells nothing about the keys that exist.
func (k *APIKeys) Identify(key string) (name string, ok bool) {
	if key == "" {
		return "", false
	}
	name, ok = k.bySum[sha256.Sum256([]byte(key))]
	return name, ok
}

// readBounded reads a regular file of at most limit bytes. Symbolic links are
// followed: Kubernetes mounts its files as such.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("is larger than %d bytes", limit)
	}
	data, err := os.ReadFile(path)
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("is larger than %d bytes", limit)
	}
	return data, err
}
