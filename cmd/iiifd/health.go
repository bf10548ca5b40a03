package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

func healthCommand() *command {
	return &command{
		name: "health", usage: "[URL]", summary: "asks a running server whether it is ready; for container health checks",
		long: "Without URL it asks the server that the same configuration describes, on this machine.\nExit status 0 ready, 1 not ready or no answer.",
		run:  runHealth,
	}
}

// healthTimeout is below Docker's usual health check time-out.
const healthTimeout = 5 * time.Second

func runHealth(ctx context.Context, p *program, args []string) error {
	if len(args) > 1 {
		return usagef("takes one URL")
	}
	url := ""
	if len(args) == 1 {
		url = args[0]
	} else {
		cfg, _, err := loadConfig(nil, p.environ)
		if err != nil {
			return err
		}
		url = localURL(cfg.Server.Listen, cfg.Server.TLSCert != "") + "/readyz"
	}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return usagef("%q is not a URL", url)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return usagef("%q is not a URL", url)
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
