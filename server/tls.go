package server

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// certificates holds the certificate and reads it again when its file has
// changed, as certificate managers replace files without telling anyone.
type certificates struct {
	certFile, keyFile string

	mu       sync.Mutex
	cert     *tls.Certificate
	modified time.Time
	checked  time.Time
}

// certificateCheck is how often the file's time is looked at, in seconds.
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
	fi, err := os.Stat(c.certFile)
	if err != nil {
		return fmt.Errorf("tls-cert: %w", err)
	}
	cert, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("tls-cert, tls-key: %w", err)
	}
	c.cert, c.modified = &cert, fi.ModTime()
	return nil
}

// get implements tls.Config.GetCertificate. A changed file that cannot be
// used yet (its key comes a moment later) leaves the old certificate.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.checked) > certificateCheck {
		c.checked = now
		if fi, err := os.Stat(c.certFile); err == nil && !fi.ModTime().Equal(c.modified) {
			_ = c.reloadLocked(now)
		}
	}
	return c.cert, nil
}
