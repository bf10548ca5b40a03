package server

import "net"

// ServeOn serves connections of a listener that a test brings along.
func (s *Server) ServeOn(l net.Listener) {
	s.listener = l
	go func() { s.served <- s.http.Serve(l) }()
}

// CertificateCheck is how long a changed certificate may stay unnoticed.
const CertificateCheck = certificateCheck
