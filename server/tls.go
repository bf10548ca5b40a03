package server

import (
	"crypto/tls"
	"fmt"
	"sync"
	"time"
)

// certificates holds the certificate and reads it again now and then, as
// certificate managers replace files without telling anyone.
type certificates struct {
	certFile, keyFile string

	mu      sync.Mutex
	cert    *tls.Certificate
	checked time.Time
}

// certificateCheck is how often the files are read again.
const certificateCheck = time.Minute

func loadCertificates(certFile, keyFile string) (*certificates, error) {
	c := &certificates{certFile: certFile, keyFile: keyFile}
	return c, c.reload()
}

// reload reads both files; on an error the old certificate stays.
func (c *certificates) reload() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reloadLocked(time.Now())
}

func (c *certificates) reloadLocked(now time.Time) error {
	c.checked = now
	cert, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("tls-cert, tls-key: %w", err)
	}
	c.cert = &cert
	return nil
}

// get implements tls.Config.GetCertificate. A changed file that cannot be
// used yet (its key comes a moment later) leaves the old certificate.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.checked) > certificateCheck {
		// Reading both files costs less than one handshake, and a time stamp
		// may not tell a file from the one before it.
		_ = c.reloadLocked(now)
	}
	return c.cert, nil
}
