package server

import (
	"crypto/x509"
	"net"
	"net/http"
	"testing"
)

// ServeOn serves connections of a listener that a test brings along.
func (s *Server) ServeOn(l net.Listener) {
	s.listener = l
	go func() { s.served <- s.http.Serve(l) }()
}

// NewCapped is the public listener's bound on connections, with its
// http.Server.ConnState.
func NewCapped(l net.Listener, most int, evicted func()) (net.Listener, func(net.Conn, http.ConnState)) {
	c := newCapped(l, most, evicted, func(int, int) {})
	return c, c.follow
}

// CertificateCheck is how long a changed certificate may stay unnoticed.
const CertificateCheck = certificateCheck

// NewCertificates returns a function that tells the name on the certificate
// that a handshake would get.
func NewCertificates(t *testing.T, certFile, keyFile string) func() string {
	t.Helper()
	c, err := loadCertificates(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	return func() string {
		cert, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.Subject.CommonName
	}
}
