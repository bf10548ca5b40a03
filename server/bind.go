package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Bind opens the public listener's socket, for Deps, and loads the
// certificate, so that whatever is wrong with either is known before anything
// else is done. The caller closes the socket where no server comes to do it.
// The error wraps syscall.EADDRINUSE where somebody else has the port.
func (c *Config) Bind(ctx context.Context) (net.Listener, error) {
	if c.TLSCert != "" {
		if _, err := loadCertificates(c.TLSCert, c.TLSKey); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// Bind opens the operator listener's socket, for OperatorDeps, and looks
// whether there can be a token for it; it is nil where the listener is off.
// Beyond that it is as the public one's.
func (c *OperatorConfig) Bind(ctx context.Context) (net.Listener, error) {
	if c.Off() {
		return nil, nil //nolint:nilnil // no listener is what is configured
	}
	if err := c.checkToken(); err != nil {
		return nil, err
	}
	l, err := c.listen(ctx)
	if err != nil {
		return nil, fmt.Errorf("operator-listen: %w", err)
	}
	return l, nil
}

// checkToken tells why there can be no token. A listener that others can
// reach needs a token file.
func (c *OperatorConfig) checkToken() error {
	if c.TokenFile != "" {
		_, err := c.readToken()
		return err
	}
	if !c.private() {
		return fmt.Errorf("operator-listen: %s can be reached from elsewhere and needs operator-token-file", c.Listen)
	}
	if dir := filepath.Dir(c.MadeTokenFile()); unix.Access(dir, unix.W_OK) != nil {
		return fmt.Errorf("operator token: no file can be made in %s; set operator-token-file", dir)
	}
	return nil
}

// listen opens the listener. A socket that a killed process left behind is
// replaced, one that still answers is not. Only this user may use a socket.
func (c *OperatorConfig) listen(ctx context.Context) (net.Listener, error) {
	network, address := c.Address()
	if network != "unix" {
		return new(net.ListenConfig).Listen(ctx, network, address)
	}
	if info, err := os.Lstat(address); err == nil && info.Mode().Type() == fs.ModeSocket {
		other, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			return nil, errors.Join(fmt.Errorf("%s is another process' socket: %w", address, syscall.EADDRINUSE), other.Close())
		}
		if err := os.Remove(address); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(address, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
