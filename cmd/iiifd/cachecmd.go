package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"example.com/iiifd/cache"
	"example.com/iiifd/server"
)

func cacheCommand() *command {
	return &command{
		name: "cache", usage: "stat | purge ID… | verify", summary: "looks at, empties or checks the derivative cache on disk",
		long: "stat      files and bytes\n" +
			"purge     forgets the derivatives of the given identifiers; --prefix TEXT of all that begin so, --older-than 24h of all that were made\n" +
			"          before, --all of everything. An identifier is the file's path below the directory of its mount, without the mount's own\n" +
			"          path and not percent-encoded: maps/a.tif for /iiif/3/maps%2Fa.tif. Where several mounts have a file of that path, all of\n" +
			"          these are meant. Beside a running server it goes through the operator listener, so that memory forgets too.\n" +
			"verify    reads every entry; exit status 1 where one is damaged. --remove removes those.\n" +
			"--json prints one JSON document.",
		run:        runCache,
		configured: true,
	}
}

func runCache(ctx context.Context, p *program, args []string) error {
	asJSON, args := cutJSON(args)
	remove, args := cutFlag(args, "--remove")
	var order server.PurgeOrder
	order.All, args = cutFlag(args, "--all")
	var err error
	if order.Prefix, args, err = cutValue(args, "--prefix"); err != nil {
		return err
	}
	if order.OlderThan, args, err = cutValue(args, "--older-than"); err != nil {
		return err
	}
	cfg, rest, err := loadConfig(args, p.environ)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return usagef("needs one of stat, purge, verify")
	}
	order.IDs = rest[1:]
	if rest[0] != "purge" && len(rest) > 1 {
		return usagef("%s takes no arguments", rest[0])
	}
	dir, err := cache.OpenDir(cfg.Cache)
	if err != nil {
		return err
	}
	switch rest[0] {
	case "stat":
		stat, err := dir.Stat(ctx)
		return report(p, asJSON, stat, err, fmt.Sprintf("%s, %s in %s", counted(stat.Files, "file"), sizeText(stat.Bytes), stat.Dir))
	case "verify":
		v, err := dir.Verify(ctx, remove)
		if err == nil && v.Damaged > 0 {
			err = fmt.Errorf("%d of %d entries are damaged", v.Damaged, v.Files)
		}
		return report(p, asJSON, v, err, fmt.Sprintf("%s, %d damaged, %d unreadable", counted(v.Files, "file"), v.Damaged, v.Unreadable))
	case "purge":
		purged, err := purge(ctx, cfg, dir, order)
		if err != nil {
			return err
		}
		return report(p, asJSON, purged, nil, fmt.Sprintf("removed %s, %s", counted(purged.Files, "file"), sizeText(purged.Bytes)))
	}
	return usagef("needs one of stat, purge, verify, not %q", rest[0])
}

func report(p *program, asJSON bool, document any, failed error, text string) error {
	var err error
	if asJSON {
		err = writeJSON(p.stdout, document)
	} else {
		_, err = fmt.Fprintln(p.stdout, text)
	}
	return errors.Join(failed, err)
}

// purge works on the directory itself, or through the running server that
// has it locked.
func purge(ctx context.Context, cfg *config, dir *cache.Dir, order server.PurgeOrder) (cache.Purged, error) {
	selectors, err := order.Selectors(time.Now())
	if err != nil {
		return cache.Purged{}, &usageError{err.Error()}
	}
	var total cache.Purged
	for _, sel := range selectors {
		purged, err := dir.Purge(ctx, sel)
		if errors.Is(err, cache.ErrInUse) {
			return purgeThroughServer(ctx, cfg, order)
		}
		if err != nil {
			return total, err
		}
		total.Files, total.Bytes = total.Files+purged.Files, total.Bytes+purged.Bytes
	}
	return total, nil
}

// purgeThroughServer asks the server on this machine.
func purgeThroughServer(ctx context.Context, cfg *config, order server.PurgeOrder) (cache.Purged, error) {
	var purged cache.Purged
	if cfg.Operator.Off() {
		return purged, errors.New("a running server uses the cache and has no operator listener")
	}
	file := cfg.Operator.TokenFile
	if file == "" {
		file = cfg.Operator.MadeTokenFile()
	}
	token, err := os.ReadFile(file)
	if err != nil {
		return purged, fmt.Errorf("a running server uses the cache and would be asked at %s, but its operator token cannot be read: %w; "+
			"give the options the server runs with, --config or --operator-listen", cfg.Operator.Listen, err)
	}
	body, err := json.Marshal(order)
	if err != nil {
		return purged, err
	}
	network, address := cfg.Operator.Address()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://operator/cache/purge", bytes.NewReader(body))
	if err != nil {
		return purged, err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := client.Do(req)
	if err != nil {
		return purged, fmt.Errorf("operator listener: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return purged, fmt.Errorf("operator listener: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return purged, fmt.Errorf("operator listener: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	return purged, json.Unmarshal(text, &purged)
}

// cutValue takes an option with a value out of the arguments.
func cutValue(args []string, name string) (value string, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		if v, ok := strings.CutPrefix(args[i], name+"="); ok {
			value = v
			continue
		}
		if args[i] != name {
			rest = append(rest, args[i])
			continue
		}
		if i+1 == len(args) {
			return "", nil, usagef("%s needs a value", name)
		}
		i++
		value = args[i]
	}
	return value, rest, nil
}
