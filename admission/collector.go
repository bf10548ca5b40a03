package admission

import "github.com/prometheus/client_golang/prometheus"

// collector makes the gauges from one snapshot per scrape, so that their sums
// hold, and leaves out what could not be read instead of reporting 0.
type collector struct{ c *Controller }

// gauge is one metric that a snapshot gives a value to.
type gauge struct {
	desc  *prometheus.Desc
	value func(*Snapshot) float64
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// level is the position of a mode among its words.
func level(word string, words ...string) float64 {
	for i, w := range words {
		if w == word {
			return float64(i)
		}
	}
	return -1
}

var (
	signalDesc   = desc("iiifd_pressure_signal_ratio", "The signals that pressure is read from; stall percentages as shares of one.", "signal")
	chargedDesc  = desc("iiifd_admission_charged_bytes", "What is booked and charged now, by part; their sum stands beside the resident bytes.", "part")
	residentDesc = desc("iiifd_admission_resident_bytes", "What the process really takes now; absent where it cannot be read.")
	sourceDesc   = desc("iiifd_admission_budget_source", "What bounds the memory of the process; 1 for the source in force.", "source")
)

var gauges = []gauge{
	{desc("iiifd_admission_permits_in_use", "Permits in use."), func(s *Snapshot) float64 { return float64(s.Threads.InUse) }},
	{desc("iiifd_admission_permits_total", "Permits there are; the kept name of iiifd_admission_permits."), func(s *Snapshot) float64 { return float64(s.Threads.Total) }},
	{desc("iiifd_admission_permits", "Permits there are."), func(s *Snapshot) float64 { return float64(s.Threads.Total) }},
	{desc("iiifd_admission_full_in_use", "Permits that fulls hold."), func(s *Snapshot) float64 { return float64(s.Threads.FullInUse) }},
	{desc("iiifd_admission_tile_waiting", "Tiles that wait for a permit."), func(s *Snapshot) float64 { return float64(s.Queue.TileWaiting) }},
	{desc("iiifd_admission_full_waiting", "Fulls that wait for a permit."), func(s *Snapshot) float64 { return float64(s.Queue.FullWaiting) }},
	{desc("iiifd_admission_queue_bytes", "Estimates of what waits."), func(s *Snapshot) float64 { return float64(s.Queue.Bytes) }},
	{desc("iiifd_admission_queue_held_bytes", "Bytes that waiting requests hold."), func(s *Snapshot) float64 { return float64(s.Queue.HeldBytes) }},
	{desc("iiifd_admission_keys_waiting", "Clients that wait."), func(s *Snapshot) float64 { return float64(s.Queue.KeysWaiting) }},
	{desc("iiifd_admission_bytes_in_use", "Bytes charged to running fulls and tiles."), func(s *Snapshot) float64 { return float64(s.Budget.InUseBytes + s.Budget.TileInUseBytes) }},
	{desc("iiifd_admission_bytes_limit", "Bytes that running fulls and tiles may be charged."), func(s *Snapshot) float64 { return float64(s.Budget.LimitBytes + s.Budget.TileLimitBytes) }},
	{desc("iiifd_admission_headroom_in_use_bytes", "Bytes of the healthy headroom in use."), func(s *Snapshot) float64 { return float64(s.Budget.HeadroomInUseBytes) }},
	{desc("iiifd_admission_ingest_bytes_in_use", "Bytes of fetched sources and bodies held."), func(s *Snapshot) float64 { return float64(s.Budget.IngestInUseBytes) }},
	{desc("iiifd_admission_egress_bytes_in_use", "Bytes of encoded answers held."), func(s *Snapshot) float64 { return float64(s.Budget.EgressInUseBytes) }},
	{desc("iiifd_decode_memory_budget_bytes", "The full budget."), func(s *Snapshot) float64 { return float64(s.Budget.LimitBytes) }},
	{desc("iiifd_decode_memory_used_bytes", "Bytes charged to running fulls."), func(s *Snapshot) float64 { return float64(s.Budget.InUseBytes) }},
	{desc("iiifd_admission_adaptive_limit", "The adaptive limit, in permits."), func(s *Snapshot) float64 { return float64(s.Adaptive.Limit) }},
	{desc("iiifd_admission_adaptive_utilization", "Share of the adaptive limit in use during the last window."), func(s *Snapshot) float64 { return s.Adaptive.Utilization }},
	{desc("iiifd_admission_lanes", "Virtual lanes with waiters."), func(s *Snapshot) float64 { return float64(s.Adaptive.LaneCount) }},
	{desc("iiifd_pressure_severity", "Memory pressure: 0 normal, 1 high, 2 critical."), func(s *Snapshot) float64 {
		return level(s.Pressure.Severity, "normal", "high", "critical")
	}},
	{desc("iiifd_pressure_stale", "1 where the last pressure sample is too old to count."), func(s *Snapshot) float64 { return flag(s.Pressure.Stale) }},
	{desc("iiifd_admission_mode", "0 basic, 1 advanced."), func(s *Snapshot) float64 { return level(s.Mode, ModeBasic, ModeAdvanced) }},
	{desc("iiifd_admission_adaptive_mode", "0 off, 1 shadow, 2 enforce."), func(s *Snapshot) float64 {
		return level(s.Adaptive.Mode, AdaptiveOff, AdaptiveShadow, AdaptiveEnforce)
	}},
	{desc("iiifd_admission_virtual_lanes", "1 where virtual lanes are on."), func(s *Snapshot) float64 { return flag(s.Adaptive.VirtualLanes) }},
	{desc("iiifd_admission_tile_min_threads", "Permits that only tiles can take."), func(s *Snapshot) float64 { return float64(s.Threads.TileMin) }},
	{desc("iiifd_admission_full_max_threads", "Permits that fulls can take."), func(s *Snapshot) float64 { return float64(s.Threads.FullMax) }},
	{desc("iiifd_admission_memory_limit_bytes", "Memory that the process may take."), func(s *Snapshot) float64 { return float64(s.Books.Envelope) }},
}

// settings are gauges of the configuration.
var settings = []struct {
	desc  *prometheus.Desc
	value func(*Config) float64
}{
	{desc("iiifd_admission_tiles_thread_ratio", "Share of the threads that only tiles can take."), func(c *Config) float64 { return c.TilesThreadRatio }},
	{desc("iiifd_admission_tiles_memory_ratio", "Share of the memory that fulls cannot take."), func(c *Config) float64 { return c.TilesMemoryRatio }},
	{desc("iiifd_admission_large_decode_threshold_bytes", "Estimate from which a decode is a full."), func(c *Config) float64 { return float64(c.Threshold) }},
}

// Describe sends every description.
func (k *collector) Describe(out chan<- *prometheus.Desc) {
	for _, g := range gauges {
		out <- g.desc
	}
	for _, g := range settings {
		out <- g.desc
	}
	out <- signalDesc
	out <- sourceDesc
	out <- chargedDesc
	out <- residentDesc
}

// Collect sends the values of one snapshot.
func (k *collector) Collect(out chan<- prometheus.Metric) {
	s := k.c.Snapshot()
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, g := range gauges {
		send(g.desc, g.value(&s))
	}
	for _, g := range settings {
		send(g.desc, g.value(&k.c.cfg))
	}
	for name, v := range s.Pressure.Signals {
		if name == signalPSISome || name == signalPSIFull {
			v /= 100
		}
		send(signalDesc, v, name)
	}
	for part, bytes := range map[string]int64{
		"idle": s.Memory.Idle, "tile": s.Memory.Tiles, "full": s.Memory.Fulls, "script": s.Memory.Scripts,
		"cache": s.Memory.Cache, "egress": s.Memory.Egress, "ingest": s.Memory.Ingest,
	} {
		send(chargedDesc, float64(bytes), part)
	}
	if s.Memory.ResidentBytes > 0 {
		send(residentDesc, float64(s.Memory.ResidentBytes))
	}
	send(sourceDesc, 1, string(s.Budget.Source))
}
