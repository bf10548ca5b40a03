package admission

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"path/filepath"
)

// Validate checks the rules that join several options, and repeats the ones
// that Options already bounds for a Config that was built by hand. The error
// joins all faults; each names the option.
func (c *Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	c.validateRatios(bad)
	c.validateQueue(bad)
	c.validatePressure(bad)
	if c.Mode != ModeBasic && c.Mode != ModeAdvanced {
		bad("admission-mode: %q is neither basic nor advanced", c.Mode)
	}
	switch c.AdaptiveMode {
	case AdaptiveOff:
		if c.VirtualLanes {
			bad("virtual-lanes: needs adaptive-mode shadow or enforce")
		}
	case AdaptiveShadow, AdaptiveEnforce:
	default:
		bad("adaptive-mode: %q is not one of off, shadow, enforce", c.AdaptiveMode)
	}
	if c.QuotaFile != "" && (!filepath.IsAbs(c.QuotaFile) || filepath.Clean(c.QuotaFile) != c.QuotaFile) {
		bad("admission-config: needs an absolute path without . or .. or doubled slashes")
	}
	if _, err := parsePrefixes(c.TrustedProxies); err != nil {
		bad("trusted-proxies: %w", err)
	}
	if c.ClientPrefixV4 < 8 || c.ClientPrefixV4 > 32 {
		bad("client-prefix-v4: %d is outside 8 to 32", c.ClientPrefixV4)
	}
	if c.ClientPrefixV6 < 32 || c.ClientPrefixV6 > 128 {
		bad("client-prefix-v6: %d is outside 32 to 128", c.ClientPrefixV6)
	}
	return errors.Join(errs...)
}

func (c *Config) validateRatios(bad func(string, ...any)) {
	for _, r := range []struct {
		name      string
		value, to float64
	}{
		{"tiles-thread-ratio", c.TilesThreadRatio, 1},
		{"tiles-memory-ratio", c.TilesMemoryRatio, 1},
		{"headroom-ratio", c.HeadroomRatio, 0.5},
	} {
		if !upTo(r.value, r.to) {
			bad("%s: %v is outside 0 to %v", r.name, r.value, r.to)
		}
	}
	if c.Threads < 0 || c.Threads > maxThreads {
		bad("nthreads: %d is outside 0 to %d", c.Threads, maxThreads)
	}
	if c.FullMax < 0 || c.FullMax > maxThreads {
		bad("full-max: %d is outside 0 to %d", c.FullMax, maxThreads)
	}
	if c.Threshold <= 0 || c.Threshold > maxBytes {
		bad("large-decode-threshold-bytes: %d is outside 1 to %d", c.Threshold, int64(maxBytes))
	}
	if c.MemoryLimit < 0 || c.MemoryLimit > maxBytes {
		bad("memory-limit: %d is outside 0 to %d", c.MemoryLimit, int64(maxBytes))
	}
	if c.IngestBytes != 0 && (c.IngestBytes < minIngest || c.IngestBytes > maxIngest) {
		bad("ingest-bytes: %d is outside 8MiB to 2GiB", c.IngestBytes)
	}
	if c.EgressBytes < 0 || c.MemoryCacheBytes < 0 {
		bad("egress-bytes and memory-cache-bytes: must not be negative")
	}
}

func (c *Config) validateQueue(bad func(string, ...any)) {
	if c.QueueTimeoutTile < 0 || c.QueueTimeoutFull < 0 {
		bad("queue-timeout-tile and queue-timeout-full: must not be negative")
	}
	name, longest := "queue-timeout-full", c.QueueTimeoutFull
	if c.QueueTimeoutTile > longest {
		name, longest = "queue-timeout-tile", c.QueueTimeoutTile
	}
	if longest+c.BodyReadTimeout >= c.RequestTimeout {
		bad("request-timeout: %v leaves no time to work after %s (%v) and body-read-timeout (%v)",
			c.RequestTimeout, name, longest, c.BodyReadTimeout)
	}
	if c.QueueMax < 1 || c.QueueMaxBytes < 0 || c.QueueHeldBytes < 1 {
		bad("queue-max, queue-max-bytes and queue-held-bytes: must be positive")
	}
	if c.LaneQueueMax > c.QueueMax {
		bad("lane-queue-max: %d is above queue-max (%d)", c.LaneQueueMax, c.QueueMax)
	}
	if c.QueueMaxBytes > 0 && c.LaneQueueMaxBytes > c.QueueMaxBytes {
		bad("lane-queue-max-bytes: %d is above queue-max-bytes (%d)", c.LaneQueueMaxBytes, c.QueueMaxBytes)
	}
}

func (c *Config) validatePressure(bad func(string, ...any)) {
	for _, p := range []struct {
		name                     string
		recovery, high, critical float64
		most                     float64
	}{
		{"pressure", c.PressureRecovery, c.PressureHigh, c.PressureCritical, 1},
		{"pressure-psi", c.PressurePSIRecovery, c.PressurePSIHigh, c.PressurePSICritical, 100},
	} {
		ordered := p.recovery < p.high && p.high < p.critical
		if !ordered || !upTo(p.recovery, p.most) || !upTo(p.critical, p.most) {
			bad("%s: needs 0 <= recovery (%v) < high (%v) < critical (%v) <= %v", p.name, p.recovery, p.high, p.critical, p.most)
		}
	}
	switch c.PressurePSI {
	case PSIAuto, PSICgroup, PSIOff:
	default:
		bad("pressure-psi: %q is not one of auto, cgroup, off", c.PressurePSI)
	}
}

// upTo tells whether v is a number from 0 to most.
func upTo(v, most float64) bool {
	return !math.IsNaN(v) && v >= 0 && v <= most
}

// parsePrefixes reads networks; a bare address is a network of one.
func parsePrefixes(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil {
			addr = addr.Unmap().WithZone("")
			out = append(out, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
		}
		if p.Masked() != p {
			return nil, fmt.Errorf("%q has address bits beyond its prefix; did you mean %s?", text, p.Masked())
		}
		out = append(out, p)
	}
	return out, nil
}
