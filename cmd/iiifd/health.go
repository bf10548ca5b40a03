package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

func healthCommand() *command {
	return &command{
		name: "health", usage: "[URL]", summary: "asks a running server whether it is ready; for container health checks",
		long: "Without URL it asks the server that the same configuration describes, on this machine. A URL without a path, such as\n" +
			"http://localhost:8182, is asked for /readyz. Exit status 0 ready, 1 not ready or no answer.",
		run:        runHealth,
		configured: true,
	}
}

// healthTimeout is below Docker's usual health check time-out.
const healthTimeout = 5 * time.Second

func runHealth(ctx context.Context, p *program, args []string) error {
	target, err := healthURL(args, p.environ)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return usagef("%q is not a URL", target)
	}
	// The certificate names the public host, not this machine's loopback.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(p.stdout, strings.TrimSpace(string(body)))
	return err
}

// healthURL is the address to ask. The configuration counts only where the
// arguments name none, so that another server can be asked beside a broken one.
func healthURL(args, environ []string) (string, error) {
	cfg := newConfig()
	flags, rest, err := cfg.set.ParseArgs(args)
	if err != nil {
		return "", err
	}
	if len(rest) > 1 {
		return "", usagef("takes one URL")
	}
	if len(rest) == 0 {
		if err := cfg.load(flags, environ); err != nil {
			return "", err
		}
		return localURL(cfg.Server.Listen, cfg.Server.TLSCert != "") + "/readyz", nil
	}
	u, err := url.Parse(rest[0])
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", usagef("%q is not a URL such as http://localhost:8182", rest[0])
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/readyz"
	}
	return u.String(), nil
}

// localURL turns a listen address into one that this machine can ask.
func localURL(listen string, secure bool) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		host, port = listen, ""
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
