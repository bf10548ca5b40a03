package server

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"example.com/iiifd/option"
)

// Config are the settings of the public listener.
type Config struct {
	Listen         string
	BaseURL        string
	TrustedProxies []string
	MaxConnections int
	FileStreams    int

	RequestTimeout  time.Duration
	BodyReadTimeout time.Duration
	WriteTimeout    time.Duration
	DrainTimeout    time.Duration

	TLSCert, TLSKey string

	ImageCacheControl string
	InfoCacheControl  string
	FileCacheControl  string
	// ProtectedCacheControl is that of answers that depend on who asks.
	ProtectedCacheControl string
	// MaxPostSize bounds a request's body in bytes.
	MaxPostSize int64

	Landing bool
}

// Options declares the settings.
func (c *Config) Options(s *option.Set) {
	const long = 24 * time.Hour
	s.Group("HTTP")
	s.Text(&c.Listen, "listen", ":8182", "Address of the public listener, host:port.")
	s.Text(&c.BaseURL, "base-url", "", "Public address of the server, such as https://images.example.org; empty takes it from the request.").Reload()
	s.List(&c.TrustedProxies, "trusted-proxies", nil, "Networks (CIDR) or addresses of proxies whose X-Forwarded-* headers are believed.").Reload()
	s.Int(&c.MaxConnections, "max-connections", 4096, 1, 1<<20, "Open connections. At this number, those without a request are closed for new ones; where all have one, new ones wait in the kernel's queue.")
	s.Int(&c.FileStreams, "file-streams", 256, 1, 1<<20, "Original files sent at the same time; further requests get 503.")
	s.Duration(&c.RequestTimeout, "request-timeout", time.Minute, time.Second, long, "From the end of the request's head to the first byte of the answer; then 408.").
		Reload().Alias("SIPI_REQUEST_TIMEOUT", bareSeconds)
	s.Duration(&c.BodyReadTimeout, "body-read-timeout", 10*time.Second, 100*time.Millisecond, long, "For reading a request's body, before admission; then 408.").
		Reload().Alias("SIPI_BODY_READ_TIMEOUT", bareSeconds)
	s.Duration(&c.WriteTimeout, "write-timeout", 30*time.Second, time.Second, long, "For a client to take the next piece of an answer (64 KiB); a slower one is cut off.").Reload()
	s.Duration(&c.DrainTimeout, "drain-timeout", 30*time.Second, 0, long, "For running requests to end after SIGTERM.")
	s.Text(&c.TLSCert, "tls-cert", "", "PEM file with the certificate chain; read again on SIGHUP and when it changes.")
	s.Text(&c.TLSKey, "tls-key", "", "PEM file with the private key.")
	s.Text(&c.ImageCacheControl, "image-cache-control", "public, max-age=86400", "Cache-Control of images.").Reload()
	s.Text(&c.InfoCacheControl, "info-cache-control", "public, max-age=300", "Cache-Control of info.json and knora.json.").Reload()
	s.Text(&c.FileCacheControl, "file-cache-control", "public, max-age=86400", "Cache-Control of original files.").Reload()
	s.Text(&c.ProtectedCacheControl, "protected-cache-control", "private, no-store", "Cache-Control of all that a pre_flight hook decides about.").Reload()
	s.Size(&c.MaxPostSize, "max-post-size", 256<<20, 1, 1<<50, "Largest body of a request to a script, files included. Files are kept in the directory for temporary files.").Reload()
	s.Bool(&c.Landing, "landing", true, "Landing page and viewer at / and /viewer/. Where the init script defines pre_flight they are off unless this is set.")
}

// bareSeconds reads a SIPI_* duration, where a bare number means seconds.
func bareSeconds(text string) (string, error) {
	if strings.Trim(text, "0123456789.") == "" {
		return text + "s", nil
	}
	return text, nil
}

// Validate checks what one option alone cannot.
func (c *Config) Validate() error {
	var errs []error
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		errs = append(errs, fmt.Errorf("listen: %q is not host:port, such as :8182 or 127.0.0.1:8182", c.Listen))
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		errs = append(errs, errors.New("tls-cert and tls-key: both or neither"))
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			errs = append(errs, fmt.Errorf("base-url: %q is not an address such as https://images.example.org", c.BaseURL))
		}
	}
	if _, err := parsePrefixes(c.TrustedProxies); err != nil {
		errs = append(errs, fmt.Errorf("trusted-proxies: %w", err))
	}
	return errors.Join(errs...)
}

// parsePrefixes reads networks and single addresses.
func parsePrefixes(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, p.Masked())
			continue
		}
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither a network nor an address", text)
		}
		out = append(out, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
	}
	return out, nil
}
