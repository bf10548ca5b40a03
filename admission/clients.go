package admission

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Anonymous is the fairness key of a client that nothing is known of, and the
// quota file's name for clients without an API key.
const Anonymous = "anonymous"

// Client is what is known of who sent a request. The first three are set
// only after they were validated.
type Client struct {
	APIKey  string // name of a validated API key
	Subject string // subject of a validated bearer token
	Cookie  string // identity of a validated access cookie
	// Remote is the TCP peer, with or without a port.
	Remote string
	// Forwarded holds the X-Forwarded-For header's values in their order.
	Forwarded []string
}

// Keyer turns clients into fairness keys. The keys are hashes under a secret
// of this process, so they can be shown and logged, and cannot be chosen by
// clients.
type Keyer struct {
	secret  [32]byte
	trusted []netip.Prefix
	v4, v6  int
}

// NewKeyer returns a Keyer that believes X-Forwarded-For from the trusted
// networks alone and takes the leading v4 and v6 bits of an address for one
// client.
func NewKeyer(trusted []string, v4, v6 int) (*Keyer, error) {
	prefixes, err := parsePrefixes(trusted)
	if err != nil {
		return nil, err
	}
	k := &Keyer{trusted: prefixes, v4: v4, v6: v6}
	if _, err := rand.Read(k.secret[:]); err != nil {
		return nil, err
	}
	return k, nil
}

// Key returns the client's fairness key: "k_" and 16 hex digits, or
// Anonymous.
func (k *Keyer) Key(c Client) string {
	switch {
	case c.APIKey != "":
		return k.hash("key", c.APIKey)
	case c.Subject != "":
		return k.hash("sub", c.Subject)
	case c.Cookie != "":
		return k.hash("cookie", c.Cookie)
	}
	addr, ok := k.Address(c.Remote, c.Forwarded)
	if !ok {
		return Anonymous
	}
	bits := k.v6
	if addr.Is4() {
		bits = k.v4
	}
	prefix, err := addr.Prefix(bits)
	if err != nil {
		return Anonymous
	}
	return k.hash("addr", prefix.String())
}

// Address returns the client's address: the first hop, from the right, that
// is no trusted proxy. Headers of an untrusted peer are not read; a hop that
// is no address ends the walk at the proxy that reported it.
func (k *Keyer) Address(remote string, forwarded []string) (netip.Addr, bool) {
	peer, ok := parseHop(remote)
	if !ok {
		return netip.Addr{}, false
	}
	if !k.trusts(peer) {
		return peer, true
	}
	last := peer
	for _, value := range slices.Backward(forwarded) {
		for rest := value; rest != ""; {
			var hop string
			if comma := strings.LastIndexByte(rest, ','); comma >= 0 {
				rest, hop = rest[:comma], rest[comma+1:]
			} else {
				rest, hop = "", rest
			}
			addr, ok := parseHop(hop)
			if !ok {
				return last, true
			}
			if !k.trusts(addr) {
				return addr, true
			}
			last = addr
		}
	}
	return peer, true
}

func (k *Keyer) trusts(addr netip.Addr) bool {
	for _, p := range k.trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// hash is keyed, and separates the kinds, so that no value of one can be made
// to equal a value of another.
func (k *Keyer) hash(kind, value string) string {
	mac := hmac.New(sha256.New, k.secret[:])
	mac.Write([]byte(kind))
	mac.Write([]byte{0})
	mac.Write([]byte(value))
	return "k_" + hex.EncodeToString(mac.Sum(nil)[:8])
}

// parseHop reads an address with or without brackets and port.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}, false
	}
	return addr.Unmap().WithZone(""), true
}
