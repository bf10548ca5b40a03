package admission

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestKeyTakesTheStrongestIdentity(t *testing.T) {
	t.Parallel()
	k, err := NewKeyer([]string{"10.0.0.0/8", "::1"}, 32, 64)
	if err != nil {
		t.Fatal(err)
	}
	all := Client{APIKey: "a", Subject: "a", Cookie: "a", Remote: "192.0.2.1:1"}
	seen := map[string]bool{}
	for _, c := range []Client{all, {Subject: "a", Cookie: "a", Remote: "192.0.2.1:1"}, {Cookie: "a", Remote: "192.0.2.1:1"}, {Remote: "192.0.2.1:1"}} {
		key := k.Key(c)
		if !regexp.MustCompile(`^k_[0-9a-f]{16}$`).MatchString(key) || seen[key] {
			t.Errorf("%+v: %q", c, key)
		}
		seen[key] = true
	}
	if k.Key(all) != k.Key(Client{APIKey: "a", Remote: "192.0.2.9:1"}) {
		t.Error("the key depends on more than the identity")
	}
	if got := k.Key(Client{Remote: "@"}); got != Anonymous {
		t.Errorf("no address: %q", got)
	}
	other, _ := NewKeyer(nil, 32, 64)
	if other.Key(all) == k.Key(all) {
		t.Error("two processes make the same key")
	}
}

func TestAddressWalk(t *testing.T) {
	t.Parallel()
	k, err := NewKeyer([]string{"10.0.0.0/8", "fd00::/8", "192.0.2.7"}, 32, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy", "198.51.100.1:50000", nil, "198.51.100.1"},
		{"an untrusted peer's header is not read", "198.51.100.1:50000", []string{"1.2.3.4"}, "198.51.100.1"},
		{"one proxy", "10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a client's own entries stand left and are not reached", "10.0.0.1:1", []string{"1.2.3.4, 198.51.100.1"}, "198.51.100.1"},
		{"two proxies, two header lines", "10.0.0.1:1", []string{"1.2.3.4, 198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		{"all trusted: the peer", "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.1"},
		{"garbage stands for the proxy that passed it on", "10.0.0.1:1", []string{"198.51.100.1, bogus, 10.0.0.2"}, "10.0.0.2"},
		{"ports and brackets", "[fd00::1]:1", []string{"[2001:db8::5]:4711"}, "2001:db8::5"},
		{"IPv4 in IPv6 clothes", "[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a single address as network", "192.0.2.7:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"zone", "[fe80::1%eth0]:1", nil, "fe80::1"},
	} {
		got, ok := k.Address(c.remote, c.forwarded)
		if !ok || got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
	for _, text := range []string{"10.0.0.1/8", "x", "10.0.0.0/33"} {
		if _, err := NewKeyer([]string{text}, 32, 64); err == nil {
			t.Errorf("%q is taken for a network", text)
		}
	}
}

func TestPrefixesMakeOneClient(t *testing.T) {
	t.Parallel()
	k, _ := NewKeyer(nil, 24, 64)
	key := func(remote string) string { return k.Key(Client{Remote: remote}) }
	if key("192.0.2.1") != key("192.0.2.200") || key("192.0.2.1") == key("192.0.3.1") {
		t.Error("IPv4 /24")
	}
	if key("2001:db8::1") != key("2001:db8::ffff:1") || key("2001:db8::1") == key("2001:db8:0:1::1") {
		t.Error("IPv6 /64")
	}
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	const sum = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b" // of "secret"
	keys, err := ParseAPIKeys([]byte("# keys\n\nlibrary " + strings.ToUpper(sum) + "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if name, ok := keys.Identify("secret"); !ok || name != "library" {
		t.Errorf("%q %v", name, ok)
	}
	for _, wrong := range []string{"", "Secret", sum} {
		if _, ok := keys.Identify(wrong); ok {
			t.Errorf("%q is a key", wrong)
		}
	}
	var none APIKeys
	if _, ok := none.Identify("secret"); ok {
		t.Error("no keys know one")
	}
	for _, bad := range []string{
		"library", "library " + sum[1:], "library " + sum + "00", "library " + sum + " x", "anonymous " + sum,
		"a " + sum + "\na " + strings.Repeat("0", 64), "a " + sum + "\nb " + sum, "\xff " + sum, strings.Repeat("n", 129) + " " + sum, "a " + strings.Repeat("g", 64),
	} {
		_, err := ParseAPIKeys([]byte(bad))
		if err == nil || strings.Contains(err.Error(), sum) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseAPIKeys(f *testing.F) {
	f.Add([]byte("a " + strings.Repeat("0", 64)))
	f.Add([]byte("# x\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := ParseAPIKeys(data)
		if err != nil {
			return
		}
		if len(keys.names) != len(keys.bySum) || len(keys.names) != len(keys.byName) {
			t.Error(fmt.Sprint("names and keys differ: ", keys.names))
		}
		for _, name := range keys.Names() {
			if name == "" || name == Anonymous || strings.ContainsAny(name, " \n") {
				t.Errorf("name %q", name)
			}
		}
	})
}
