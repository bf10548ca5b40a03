package admission

import (
	"time"

	"example.com/iiifd/option"
)

// The modes of IIIFD_ADMISSION_MODE. Basic enforces permits, queues, the
// tile reserve, pressure and quotas, and only counts what the full cap and
// the full budget would refuse.
const (
	ModeBasic    = "basic"
	ModeAdvanced = "advanced"
)

// The modes of IIIFD_ADAPTIVE_MODE.
const (
	AdaptiveOff     = "off"
	AdaptiveShadow  = "shadow"
	AdaptiveEnforce = "enforce"
)

// The modes of IIIFD_PRESSURE_PSI.
const (
	PSIAuto   = "auto"
	PSICgroup = "cgroup"
	PSIOff    = "off"
)

// Config holds the settings of admission. Sizes are bytes. Zero means
// "derive it" wherever an option's help says so.
type Config struct {
	Threads          int
	FullMax          int
	TilesThreadRatio float64

	Mode             string
	MemoryLimit      int64
	TilesMemoryRatio float64
	Threshold        int64
	IngestBytes      int64
	EgressBytes      int64
	MemoryCacheBytes int64
	HeadroomRatio    float64

	QueueTimeoutTile time.Duration
	QueueTimeoutFull time.Duration
	QueueMax         int
	QueueMaxBytes    int64
	QueueHeldBytes   int64

	QuotaFile      string
	APIKeysFile    string
	ClientPrefixV4 int
	ClientPrefixV6 int

	PressureHigh        float64
	PressureCritical    float64
	PressureRecovery    float64
	PressurePSI         string
	PressurePSIHigh     float64
	PressurePSICritical float64
	PressurePSIRecovery float64

	AdaptiveMode      string
	AdaptiveMin       int
	VirtualLanes      bool
	LaneQueueMax      int
	LaneQueueMaxBytes int64

	// The server declares these three; who joins the settings copies them.
	RequestTimeout  time.Duration
	BodyReadTimeout time.Duration
	TrustedProxies  []string
}

// maxThreads is the largest thread count that can be asked for.
const maxThreads = 1024

// maxCount bounds the options that count something without a natural bound.
const maxCount = 1_000_000

// maxBytes bounds the options that are sizes, so that their sums do not
// overflow.
const maxBytes = 1 << 50

const day = 24 * time.Hour

// Options declares the settings in s and sets their defaults.
func (c *Config) Options(s *option.Set) {
	c.RequestTimeout, c.BodyReadTimeout = time.Minute, 10*time.Second
	s.Group("Admission: threads and memory")
	c.capacityOptions(s)
	s.Group("Admission: queue and time")
	c.queueOptions(s)
	s.Group("Admission: clients")
	c.clientOptions(s)
	s.Group("Admission: pressure")
	c.pressureOptions(s)
	s.Group("Admission: adaptive limit and lanes")
	c.adaptiveOptions(s)
}

func (c *Config) capacityOptions(s *option.Set) {
	s.Int(&c.Threads, "nthreads", 0, 0, maxThreads,
		"Decodes that may run at once. 0 takes the processors this process may use, at least 2.").Alias("SIPI_NTHREADS", nil)
	s.Int(&c.FullMax, "full-max", 0, 0, maxThreads,
		"Lowers the number of full decodes that may run at once. 0 derives it from the thread ratio.")
	s.Number(&c.TilesThreadRatio, "tiles-thread-ratio", 0.5, 0, 1,
		"Share of the threads that only tiles can take.").Alias("SIPI_TILES_THREAD_RATIO", nil)
	s.Word(&c.Mode, "admission-mode", ModeAdvanced, []string{ModeBasic, ModeAdvanced},
		"advanced enforces everything; basic only counts what the full cap and the full memory budget would refuse.").Alias("SIPI_ADMISSION_MODE", sipiMode)
	s.Size(&c.MemoryLimit, "memory-limit", 0, 0, maxBytes,
		"Memory that the process may take. 0 takes the cgroup's limit, or else what the host has available at start.").Alias("SIPI_MEMORY_LIMIT", nil)
	s.Number(&c.TilesMemoryRatio, "tiles-memory-ratio", 0.25, 0, 1,
		"Share of the memory that full decodes cannot take.").Alias("SIPI_TILES_MEMORY_RATIO", nil)
	s.Size(&c.Threshold, "large-decode-threshold-bytes", 32<<20, 1, maxBytes,
		"A decode whose estimated peak reaches this is a full, below it a tile.").Alias("SIPI_LARGE_DECODE_THRESHOLD_BYTES", nil)
	s.Size(&c.IngestBytes, "ingest-bytes", 0, 0, maxIngest,
		"Memory for fetched sources and request bodies. 0 derives it from the memory limit; else at least 8 MiB.")
	s.Size(&c.EgressBytes, "egress-bytes", 0, 0, maxBytes,
		"Memory for encoded answers that are being written. 0 takes a sixteenth of the memory limit, at most 256 MiB.")
	s.Size(&c.MemoryCacheBytes, "memory-cache-bytes", 0, 0, maxBytes,
		"Memory for the derivative cache in front of the disk. 0 takes a thirty-second of the memory limit, at most 256 MiB.")
	s.Number(&c.HeadroomRatio, "headroom-ratio", 0.10, 0, 0.5,
		"Share of the full memory budget that is used only while memory pressure is normal.")
}

func (c *Config) queueOptions(s *option.Set) {
	s.Duration(&c.QueueTimeoutTile, "queue-timeout-tile", 2*time.Second, 0, day,
		"Longest wait of a tile for a permit. 0 never waits.").Alias("SIPI_QUEUE_TIMEOUT", sipiSeconds)
	s.Duration(&c.QueueTimeoutFull, "queue-timeout-full", 10*time.Second, 0, day,
		"Longest wait of a full decode or a script for a permit. 0 never waits.").Alias("SIPI_QUEUE_TIMEOUT", sipiSeconds)
	s.Int(&c.QueueMax, "queue-max", 512, 1, maxCount, "Requests that may wait, for each lane; scripts have a line of their own.")
	s.Size(&c.QueueMaxBytes, "queue-max-bytes", 0, 0, maxBytes,
		"Sum of the estimates of waiting requests, for each lane. 0 takes four times the full memory budget.")
	s.Size(&c.QueueHeldBytes, "queue-held-bytes", 64<<20, 1, maxBytes,
		"Bytes that waiting requests really hold (fetched sources, bodies), for each lane.")
}

func (c *Config) clientOptions(s *option.Set) {
	s.Text(&c.QuotaFile, "admission-config", "", "Absolute path of the quota file. Empty enforces no client quota.")
	s.Text(&c.APIKeysFile, "api-keys-file", "", "File of API keys, a line each: name and the key's SHA-256 in hex.")
	s.Int(&c.ClientPrefixV4, "client-prefix-v4", 32, 8, 32, "Leading bits of an IPv4 address that make one client.")
	s.Int(&c.ClientPrefixV6, "client-prefix-v6", 64, 32, 128, "Leading bits of an IPv6 address that make one client.")
}

func (c *Config) pressureOptions(s *option.Set) {
	s.Number(&c.PressureHigh, "pressure-high", 0.85, 0, 1, "Share of memory in use at which pressure is high.")
	s.Number(&c.PressureCritical, "pressure-critical", 0.92, 0, 1, "Share of memory in use at which pressure is critical.")
	s.Number(&c.PressureRecovery, "pressure-recovery", 0.75, 0, 1, "Share of memory in use below which pressure is normal again.")
	s.Word(&c.PressurePSI, "pressure-psi", PSIAuto, []string{PSIAuto, PSICgroup, PSIOff},
		"Whose stall information counts: cgroup, off, or auto, which asks the host only where the cgroup has no limit.")
	s.Number(&c.PressurePSIHigh, "pressure-psi-high", 30, 0, 100, "Percent of time stalled on memory at which pressure is high.")
	s.Number(&c.PressurePSICritical, "pressure-psi-critical", 60, 0, 100, "Percent of time stalled on memory at which pressure is critical.")
	s.Number(&c.PressurePSIRecovery, "pressure-psi-recovery", 15, 0, 100, "Percent of time stalled on memory below which pressure is normal again.")
}

func (c *Config) adaptiveOptions(s *option.Set) {
	s.Word(&c.AdaptiveMode, "adaptive-mode", AdaptiveShadow, []string{AdaptiveOff, AdaptiveShadow, AdaptiveEnforce},
		"enforce lowers the number of running decodes when they get slower; shadow only counts what that would do.")
	s.Int(&c.AdaptiveMin, "adaptive-min", 0, 0, maxThreads, "Least value of the adaptive limit. 0 takes the tiles' floor.")
	s.Bool(&c.VirtualLanes, "virtual-lanes", false, "Bounds each client's share of the queue. Needs adaptive-mode shadow or enforce.")
	s.Int(&c.LaneQueueMax, "lane-queue-max", 0, 0, maxCount, "Requests of one client that may wait, with virtual lanes. 0 takes a quarter of queue-max.")
	s.Size(&c.LaneQueueMaxBytes, "lane-queue-max-bytes", 0, 0, maxBytes,
		"Estimates of one client's waiting requests, with virtual lanes. 0 takes a quarter of queue-max-bytes.")
}
