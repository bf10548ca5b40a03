package lua

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// networks are the addresses that scripts may reach besides the public ones.
type networks []netip.Prefix

// parseNetworks reads addresses and prefixes: "127.0.0.1", "10.1.0.0/16".
func parseNetworks(list []string) (networks, error) {
	out := make(networks, 0, len(list))
	for _, text := range list {
		var p netip.Prefix
		var err error
		if strings.Contains(text, "/") {
			p, err = netip.ParsePrefix(text)
		} else {
			var a netip.Addr
			if a, err = netip.ParseAddr(text); err == nil {
				p = netip.PrefixFrom(a, a.BitLen())
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not an address or prefix such as 10.1.0.0/16", text)
		}
		out = append(out, p)
	}
	return out, nil
}

// special are ranges of public form that lead to private or local places:
// this network, carrier NAT, benchmarking, NAT64, 6to4, Teredo,
// IPv4 written as IPv6, reserved.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("192.88.99.0/24"),
}

// permits tells whether scripts may connect to an address.
func (n networks) permits(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range n {
		if p.Contains(a) {
			return true
		}
	}
	if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// dialer checks each address it is about to connect to, after names have
// been resolved, so that a name cannot stand for two addresses.
func (n networks) dialer() *net.Dialer {
	return &net.Dialer{
		Timeout: 10 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if !n.permits(ap.Addr()) {
				return fmt.Errorf("address %s is not permitted (IIIFD_LUA_HTTP_ALLOW)", ap.Addr())
			}
			return nil
		},
	}
}
