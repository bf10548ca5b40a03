package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/iiifd/server"
)

// issue writes a certificate for the loopback that signs itself, under the
// names cert.pem and key.pem, as a certificate manager does: by renaming.
func issue(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"images.example"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{key: {Type: "PRIVATE KEY", Bytes: pkcs8}, cert: {Type: "CERTIFICATE", Bytes: der}} {
		if err := os.WriteFile(file+".new", pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// shown returns the name on the certificate that a new connection sees.
func shown(t *testing.T, st *stand) string {
	t.Helper()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // The name is what is looked at.
	c, err := d.DialContext(t.Context(), "tcp", st.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
}

// TestTLS shows HTTPS in both versions of HTTP, with https in ids (R159).
func TestTLS(t *testing.T) {
	cert, key := issue(t, t.TempDir(), "first")
	st := open(t, setup{dir: cases(t), set: map[string]string{"tls-cert": cert, "tls-key": key}})
	trusted := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	trusted.AppendCertsFromPEM(text)
	for proto, set := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2.0": func(p *http.Protocols) { p.SetHTTP2(true) },
	} {
		protocols := new(http.Protocols)
		set(protocols)
		c := direct(&http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, Protocols: protocols})
		both(t, c, st.url, proto)
		c.CloseIdleConnections()
	}
	old := tls.Dialer{Config: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}} //nolint:gosec // This must be refused.
	if c, err := old.DialContext(t.Context(), "tcp", st.Address().String()); err == nil {
		_ = c.Close()
		t.Error("TLS 1.1 was accepted")
	}
}

// both asks for a document and an image over one protocol.
func both(t *testing.T, c *http.Client, base, proto string) {
	t.Helper()
	a := ask(t, c, http.MethodGet, base, "/iiif/3/sub%2Finner.png/info.json")
	if a.err != nil {
		t.Fatalf("%s: %v", proto, a.err)
	}
	if a.Proto != proto || a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), `"`+base+`/iiif/3/sub%2Finner.png"`) {
		t.Errorf("%s: %s %d %s", proto, a.Proto, a.StatusCode, a.body)
	}
	a = ask(t, c, http.MethodGet, base, "/iiif/3/I/full/pct:50/0/default.png")
	if a.err != nil || a.StatusCode != http.StatusOK || a.Proto != proto {
		t.Fatalf("%s: %v %d", proto, a.err, a.StatusCode)
	}
	if complaint := check("image png 500x400", base, a.Response, a.body); complaint != "" {
		t.Error(proto, complaint)
	}
	// The encoded slash and the encoded caret reach the server as they are.
	a = ask(t, c, http.MethodGet, base, "/iiif/3/sub%2Finner.png/full/%5E61,/0/default.png")
	if a.err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("%s: %v %d %s", proto, a.err, a.StatusCode, a.body)
	}
}

// TestUnencryptedHTTP2 shows h2c, as proxies speak it.
func TestUnencryptedHTTP2(t *testing.T) {
	st := open(t, setup{dir: cases(t)})
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	c := direct(&http.Transport{Protocols: protocols})
	defer c.CloseIdleConnections()
	both(t, c, st.url, "HTTP/2.0")
}

// TestCertificateReload shows that a reload takes a new certificate at once,
// and that a broken one leaves the old one and the old settings.
func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	cert, key := issue(t, dir, "first")
	var cfg server.Config
	st := open(t, setup{dir: cases(t), set: map[string]string{"tls-cert": cert, "tls-key": key}, adjust: func(c *server.Config) { cfg = *c }})
	if got := shown(t, st); got != "first" {
		t.Fatal(got)
	}
	issue(t, dir, "second")
	if err := st.Reload(cfg); err != nil {
		t.Fatal(err)
	}
	if got := shown(t, st); got != "second" {
		t.Errorf("after a reload: %s", got)
	}
	if err := os.WriteFile(cert, []byte("half a certif"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.BaseURL = "https://other.example"
	if err := st.Reload(cfg); err == nil {
		t.Error("a broken certificate was taken")
	}
	if got := shown(t, st); got != "second" {
		t.Errorf("after a broken certificate: %s", got)
	}
	c := direct(&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}) //nolint:gosec // The answer is what is looked at.
	defer c.CloseIdleConnections()
	if a := ask(t, c, http.MethodGet, st.url, "/iiif/3/I/info.json"); a.err != nil || strings.Contains(string(a.body), "other.example") {
		t.Errorf("a refused reload took effect: %v %s", a.err, a.body)
	}
}

// TestCertificateFileChange shows that a replaced file is taken without a
// reload, and that a certificate whose key is yet to come is waited for.
func TestCertificateFileChange(t *testing.T) {
	dir := t.TempDir()
	cert, key := issue(t, dir, "first")
	synctest.Test(t, func(t *testing.T) {
		current := server.NewCertificates(t, cert, key)
		if got := current(); got != "first" {
			t.Fatal(got)
		}
		oldKey, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		issue(t, dir, "second")
		newKey, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			key  []byte
			want string
		}{{oldKey, "first"}, {newKey, "second"}} {
			if err := os.WriteFile(key, step.key, 0o600); err != nil {
				t.Fatal(err)
			}
			time.Sleep(server.CertificateCheck + time.Second)
			if got := current(); got != step.want {
				t.Errorf("got %s, want %s", got, step.want)
			}
		}
		if err := os.Remove(cert); err != nil {
			t.Fatal(err)
		}
		time.Sleep(server.CertificateCheck + time.Second)
		if got := current(); got != "second" {
			t.Errorf("after the file went away: %s", got)
		}
	})
}

// TestTLSRefused shows that a server does not start without its
// certificate.
func TestTLSRefused(t *testing.T) {
	cert, _ := issue(t, t.TempDir(), "one")
	_, key := issue(t, t.TempDir(), "other")
	for name, set := range map[string]map[string]string{
		"missing": {"tls-cert": "/does/not/exist", "tls-key": key},
		"foreign": {"tls-cert": cert, "tls-key": key},
	} {
		st := build(t, setup{dir: t.TempDir(), set: set})
		if err := st.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "tls-cert") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
