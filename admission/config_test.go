package admission

import (
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/iiifd/option"
)

// TestOptionNames: names, defaults and kinds are what operators rely on.
func TestOptionNames(t *testing.T) {
	t.Parallel()
	var cfg Config
	set := option.NewSet()
	cfg.Options(set)
	want := map[string]string{
		"IIIFD_NTHREADS": "0", "IIIFD_FULL_MAX": "0", "IIIFD_TILES_THREAD_RATIO": "0.5", "IIIFD_TILES_MEMORY_RATIO": "0.25",
		"IIIFD_ADMISSION_MODE": "advanced", "IIIFD_MEMORY_LIMIT": "0", "IIIFD_LARGE_DECODE_THRESHOLD_BYTES": "32MiB",
		"IIIFD_INGEST_BYTES": "0", "IIIFD_EGRESS_BYTES": "0", "IIIFD_MEMORY_CACHE_BYTES": "0", "IIIFD_HEADROOM_RATIO": "0.1",
		"IIIFD_QUEUE_TIMEOUT_TILE": "2s", "IIIFD_QUEUE_TIMEOUT_FULL": "10s", "IIIFD_QUEUE_MAX": "512", "IIIFD_QUEUE_MAX_BYTES": "0", "IIIFD_QUEUE_HELD_BYTES": "64MiB",
		"IIIFD_ADMISSION_CONFIG": "", "IIIFD_API_KEYS_FILE": "", "IIIFD_CLIENT_PREFIX_V4": "32", "IIIFD_CLIENT_PREFIX_V6": "64",
		"IIIFD_PRESSURE_HIGH": "0.85", "IIIFD_PRESSURE_CRITICAL": "0.92", "IIIFD_PRESSURE_RECOVERY": "0.75",
		"IIIFD_PRESSURE_PSI": "auto", "IIIFD_PRESSURE_PSI_HIGH": "30", "IIIFD_PRESSURE_PSI_CRITICAL": "60", "IIIFD_PRESSURE_PSI_RECOVERY": "15",
		"IIIFD_ADAPTIVE_MODE": "shadow", "IIIFD_ADAPTIVE_MIN": "0", "IIIFD_VIRTUAL_LANES": "false", "IIIFD_LANE_QUEUE_MAX": "0", "IIIFD_LANE_QUEUE_MAX_BYTES": "0",
	}
	for _, o := range set.All() {
		if def, ok := want[o.Env()]; !ok || o.Default != def {
			t.Errorf("%s = %q, want %q (known: %v)", o.Env(), o.Default, def, ok)
		}
		if o.Help == "" || !strings.HasSuffix(o.Help, ".") || o.Group == "" {
			t.Errorf("%s: help %q in group %q", o.Env(), o.Help, o.Group)
		}
		delete(want, o.Env())
	}
	for name := range want {
		t.Errorf("%s is not declared", name)
	}
	if err := cfg.Validate(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

func TestSIPISpellings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"5": "5s", "0.5": "0.5s", "2s": "2s"} {
		if got, err := sipiSeconds(text); got != want || err != nil {
			t.Errorf("sipiSeconds(%q) = %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"advanced": ModeAdvanced, "ADVANCED": ModeAdvanced, "basic": ModeBasic} {
		if got, err := sipiMode(text); got != want || err != nil {
			t.Errorf("sipiMode(%q) = %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"off", "monitor", "enforce"} {
		_, err := sipiMode(text)
		if fallback, ok := errors.AsType[*option.FallbackError](err); !ok || fallback.Use != ModeBasic {
			t.Errorf("sipiMode(%q): %v", text, err)
		}
	}
}

func TestBadSettingsStopTheStart(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"admission-mode":               func(c *Config) { c.Mode = "advancd" },
		"adaptive-mode":                func(c *Config) { c.AdaptiveMode = "on" },
		"pressure-psi:":                func(c *Config) { c.PressurePSI = "host" },
		"virtual-lanes":                func(c *Config) { c.VirtualLanes, c.AdaptiveMode = true, AdaptiveOff },
		"tiles-thread-ratio":           func(c *Config) { c.TilesThreadRatio = math.NaN() },
		"tiles-memory-ratio":           func(c *Config) { c.TilesMemoryRatio = 1.01 },
		"headroom-ratio":               func(c *Config) { c.HeadroomRatio = 0.6 },
		"nthreads":                     func(c *Config) { c.Threads = 1025 },
		"full-max":                     func(c *Config) { c.FullMax = -1 },
		"large-decode-threshold-bytes": func(c *Config) { c.Threshold = 0 },
		"memory-limit":                 func(c *Config) { c.MemoryLimit = -1 },
		"ingest-bytes":                 func(c *Config) { c.IngestBytes = 8*mib - 1 },
		"egress-bytes":                 func(c *Config) { c.EgressBytes = -1 },
		"queue-timeout-tile":           func(c *Config) { c.QueueTimeoutTile = -1 },
		"request-timeout":              func(c *Config) { c.QueueTimeoutFull = 50 * time.Second },
		"queue-max":                    func(c *Config) { c.QueueMax = 0 },
		"queue-held-bytes":             func(c *Config) { c.QueueHeldBytes = 0 },
		"lane-queue-max:":              func(c *Config) { c.LaneQueueMax = 513 },
		"lane-queue-max-bytes":         func(c *Config) { c.QueueMaxBytes, c.LaneQueueMaxBytes = 1, 2 },
		"pressure:":                    func(c *Config) { c.PressureHigh = 0.75 },
		"<= 1":                         func(c *Config) { c.PressureCritical = 1.2 },
		"pressure-psi":                 func(c *Config) { c.PressurePSIRecovery = -1 },
		"trusted-proxies":              func(c *Config) { c.TrustedProxies = []string{"10.0.0.1/8"} },
		"client-prefix-v4":             func(c *Config) { c.ClientPrefixV4 = 7 },
		"client-prefix-v6":             func(c *Config) { c.ClientPrefixV6 = 129 },
		"adaptive-min":                 func(c *Config) { c.AdaptiveMin, c.Threads = 9, 8 },
		"api-keys-file":                func(c *Config) { c.APIKeysFile = "/nowhere/keys" },
		"admission-config":             func(c *Config) { c.QuotaFile = "/nowhere/quota.json" },
	} {
		cfg := defaults()
		change(&cfg)
		facts := Facts{Memory: &Memory{HostTotal: 8 * gib, HostAvailable: 8 * gib}, Manual: true}
		_, err := New(cfg, facts, slog.New(slog.DiscardHandler), nil)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSeveralFaultsAreNamedTogether: an operator need not start five times.
func TestSeveralFaultsAreNamedTogether(t *testing.T) {
	t.Parallel()
	cfg := defaults()
	cfg.Mode, cfg.QueueMax, cfg.PressureHigh = "x", 0, 2
	err := cfg.Validate()
	for _, name := range []string{"admission-mode", "queue-max", "pressure"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not in %v", name, err)
		}
	}
}
