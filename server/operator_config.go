package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/iiifd/option"
)

// OperatorConfig are the settings of the operator listener.
type OperatorConfig struct {
	Listen             string
	TokenFile          string
	ReadyCriticalAfter time.Duration
}

// Options declares the settings.
func (c *OperatorConfig) Options(s *option.Set) {
	s.Group("Operator listener")
	s.Text(&c.Listen, "operator-listen", "127.0.0.1:9182", "Address of the operator listener: host:port, or unix:/path of a socket; off for none.")
	s.Text(&c.TokenFile, "operator-token-file", "",
		"File with the token that changes need, and reading too where the listener is not on loopback; empty makes a token at start, in a file that only this user can read and whose path is logged.")
	s.Duration(&c.ReadyCriticalAfter, "ready-critical-after", 0, 0, 24*time.Hour, "Critical memory pressure for this long makes the server unready; 0 = never.")
}

// Off tells that there is no operator listener.
func (c *OperatorConfig) Off() bool { return c.Listen == "off" }

// address returns network and address to listen on.
func (c *OperatorConfig) address() (network, address string) {
	if path, ok := strings.CutPrefix(c.Listen, "unix:"); ok {
		return "unix", path
	}
	return "tcp", c.Listen
}

// private tells whether only this machine can reach the listener.
func (c *OperatorConfig) private() bool {
	network, address := c.address()
	if network == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// token reads the configured token, or makes one and writes it to a file.
func (c *OperatorConfig) token() (token, file string, err error) {
	if c.TokenFile != "" {
		text, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return "", "", fmt.Errorf("operator-token-file: %w", err)
		}
		token = strings.TrimSpace(string(text))
		if len(token) < 16 {
			return "", "", errors.New("operator-token-file: the token needs at least 16 characters")
		}
		return token, c.TokenFile, nil
	}
	var b [24]byte
	_, _ = rand.Read(b[:]) // Never fails (crypto/rand).
	token = hex.EncodeToString(b[:])
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := os.CreateTemp(dir, "iiifd-operator-token-*") // Mode 0600.
	if err != nil {
		return "", "", fmt.Errorf("operator token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", "", fmt.Errorf("operator token: %w", err)
	}
	return token, filepath.Clean(f.Name()), nil
}
