package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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

// Address returns network and address to listen on.
func (c *OperatorConfig) Address() (network, address string) {
	if path, ok := strings.CutPrefix(c.Listen, "unix:"); ok {
		return "unix", path
	}
	return "tcp", c.Listen
}

// private tells whether only this machine can reach the listener.
func (c *OperatorConfig) private() bool {
	network, address := c.Address()
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
		token, err = c.readToken()
		return token, c.TokenFile, err
	}
	var b [24]byte
	_, _ = rand.Read(b[:]) // Never fails (crypto/rand).
	token = hex.EncodeToString(b[:])
	file = c.MadeTokenFile()
	// Whatever stands there, a link too, is replaced and never followed.
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("operator token: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", "", fmt.Errorf("operator token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", "", fmt.Errorf("operator token: %w", err)
	}
	return token, file, nil
}

func (c *OperatorConfig) readToken() (string, error) {
	text, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("operator-token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 {
		return "", errors.New("operator-token-file: the token needs at least 16 characters")
	}
	return token, nil
}

// MadeTokenFile is where the token is written that is made at start: one
// file for each address, below $XDG_RUNTIME_DIR or the directory for
// temporary files.
func (c *OperatorConfig) MadeTokenFile() string {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = os.TempDir()
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == ':' || r == '[' || r == ']' {
			return '-'
		}
		return r
	}, c.Listen)
	return filepath.Join(dir, fmt.Sprintf("iiifd-%d-%s.token", os.Getuid(), strings.Trim(name, "-")))
}
