package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// givenOptions is what helps where another server was asked, or none.
const givenOptions = "give the options the server runs with, --config or --operator-listen"

// operatorClient asks the operator listener that a configuration describes.
type operatorClient struct {
	http  *http.Client
	token string
}

// newOperatorClient reads the token that the running server takes.
func newOperatorClient(cfg *config) (*operatorClient, error) {
	file := cfg.Operator.TokenFile
	if file == "" {
		file = cfg.Operator.MadeTokenFile()
	}
	token, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("a running server uses the cache and would be asked at %s, but its operator token cannot be read: %w; "+givenOptions,
			cfg.Operator.Listen, err)
	}
	network, address := cfg.Operator.Address()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return &operatorClient{
		http:  &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
		token: strings.TrimSpace(string(token)),
	}, nil
}

// do sends body as JSON, none if it is nil, and reads the answer into into.
func (c *operatorClient) do(ctx context.Context, method, path string, body, into any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://operator"+path, reader)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("operator listener: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("operator listener: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("operator listener: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	return json.Unmarshal(text, into)
}
